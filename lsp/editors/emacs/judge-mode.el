;;; judge-mode.el --- The .judge language, with Eglot  -*- lexical-binding: t; -*-

;; Package-Requires: ((emacs "28.1") (eglot "1.9"))
;; SPDX-License-Identifier: Apache-2.0

;;; Commentary:

;; Put this file on the `load-path' and write into your init file:
;;
;;   (require 'judge-mode)
;;   (add-hook 'judge-mode-hook #'eglot-ensure)
;;
;; C-c C-r runs a flow of the file, C-c C-t its tests.

;;; Code:

(require 'compile)
(require 'subr-x)

(defgroup judge nil
  "LLM agents, the judges that check them and the flow between them."
  :group 'languages)

(defcustom judge-command '("jrun")
  "The command `jrun', as a list of words."
  :type '(repeat string)
  :safe #'ignore)

(defconst judge-indent-offset 2
  "Columns that a block is indented by; `jrun fmt' knows no other number.")

(defvar judge-mode-syntax-table
  (let ((table (make-syntax-table)))
    (modify-syntax-entry ?# "<" table)
    (modify-syntax-entry ?\n ">" table)
    (modify-syntax-entry ?\" "\"" table)
    (modify-syntax-entry ?_ "w" table)
    (modify-syntax-entry ?' "." table)
    table))

(defconst judge--statements
  '("return" "stop" "if" "then" "else" "switch" "case" "uncertain" "parallel" "loop" "until" "race" "best" "each"
    "every" "some" "for" "try" "approve" "require" "let" "expect" "given" "replies" "decides" "returns" "and" "or"
    "not" "in" "is" "contains" "starts" "ends" "matches" "with"))

(defvar judge-font-lock-keywords
  `(("^\\(code\\s-+judge\\|[a-z]+\\)\\_>\\s-*\\([a-z_][A-Za-z0-9_]*\\)?"
     (1 font-lock-keyword-face) (2 font-lock-function-name-face nil t))
    ("{{.*?}}" 0 font-lock-variable-name-face prepend)
    ("\\_<[A-Z][A-Za-z0-9_]*\\_>" . font-lock-type-face)
    (,(regexp-opt '("text" "int" "float" "bool" "json") 'symbols) . font-lock-type-face)
    (,(regexp-opt '("true" "false" "null") 'symbols) . font-lock-constant-face)
    (,(regexp-opt judge--statements 'symbols) . font-lock-keyword-face)))

(defconst judge--syntax-propertize
  (syntax-propertize-rules
   ;; Three quotes open and close a text of several lines.
   ("\\(\"\\)\"\\(\"\\)"
    (0 (let* ((start (match-beginning 0))
              (inside (nth 3 (save-excursion (syntax-ppss start)))))
         (unless (and inside (not (eq inside t)))
           (if inside
               (put-text-property (match-beginning 2) (match-end 2) 'syntax-table (string-to-syntax "|"))
             (put-text-property (match-beginning 1) (match-end 1) 'syntax-table (string-to-syntax "|")))
           (put-text-property (1+ start) (+ 2 start) 'syntax-table (string-to-syntax "."))
           (if inside
               (put-text-property start (1+ start) 'syntax-table (string-to-syntax "."))
             (put-text-property (+ 2 start) (+ 3 start) 'syntax-table (string-to-syntax ".")))
           nil))))))

(defun judge-indent-line ()
  "Indent this line as its block is, and one in a text as the line before it."
  (interactive)
  (let* ((state (save-excursion (syntax-ppss (line-beginning-position))))
         (column
          (save-excursion
            (back-to-indentation)
            (let ((closes (looking-at-p "[])}]")))
              (cond
               ((nth 3 state) (forward-line -1)
                (while (and (not (bobp)) (looking-at-p "^\\s-*$")) (forward-line -1))
                (+ (current-indentation)
                   (if (> (line-beginning-position) (nth 8 state)) 0 judge-indent-offset)))
               ((null (nth 1 state)) 0)
               (t (goto-char (nth 1 state))
                  (+ (current-indentation) (if closes 0 judge-indent-offset))))))))
    (if (<= (current-column) (current-indentation))
        (indent-line-to column)
      (save-excursion (indent-line-to column)))))

(defvar judge-mode-map
  (let ((map (make-sparse-keymap)))
    (define-key map (kbd "C-c C-r") #'judge-run)
    (define-key map (kbd "C-c C-t") #'judge-test)
    map))

;;;###autoload
(define-derived-mode judge-mode prog-mode "Judge"
  "Major mode for .judge files."
  (setq-local comment-start "# "
              comment-start-skip "#+\\s-*"
              indent-tabs-mode nil
              tab-width 2
              indent-line-function #'judge-indent-line
              electric-indent-chars (append "}])" electric-indent-chars)
              syntax-propertize-function judge--syntax-propertize
              font-lock-defaults '(judge-font-lock-keywords)))

(defun judge--compile (&rest words)
  "Run `judge-command' with WORDS on this buffer's file."
  (save-buffer)
  (compile (mapconcat #'shell-quote-argument (append judge-command words) " ") t))

(defun judge-run (flow)
  "Run FLOW of this file; with an empty name the file's own."
  (interactive "sFlow (empty for the file's own): ")
  (apply #'judge--compile "run" buffer-file-name (unless (string-empty-p flow) (list "--flow" flow))))

(defun judge-test ()
  "Run the test blocks of this file."
  (interactive)
  (judge--compile "test" buffer-file-name))

;;;###autoload
(add-to-list 'auto-mode-alist '("\\.judge\\'" . judge-mode))

;; Not every installation of Eglot says where this is.
(autoload 'eglot-ensure "eglot")
(defvar eglot-server-programs)
(with-eval-after-load 'eglot
  (add-to-list 'eglot-server-programs
               (cons 'judge-mode (lambda (&rest _) (append judge-command '("lsp"))))))

(provide 'judge-mode)
;;; judge-mode.el ends here
