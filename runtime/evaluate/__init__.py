"""Evaluation: numbers that one can trust about what a program answers.

In reading order:

* `rows`        the formats of cases: JSON lines, JSON, CSV and YAML as rows with their lines
* `cases`       files of cases, read with every broken line named;  `inputs`: cases as inputs of a flow
* `statistics`  means with intervals, paired tests, agreement: exact formulas and a seeded bootstrap
* `measure`     judges that an evaluation adds to a program;  `judges`: which one is meant
* `account`     what evaluations may spend today;  `pace`: many cases at once, and ending well
* `checks`      judges and scorers held against an answer;  `results`: what went wrong, by cause
* `versions`    which versions have run;  `terns`: scores of past runs;  `suites`: cases through a flow and its checks
* `replay`      before and after;  `compare`, `pairwise`, `differences`: sides over the same cases
* `calibrate`   a judge against people;  `forecast`: what it would cost
* `document`    a report as text or as a page; `render…` make one of each kind of report

Reports are plain data (`"schema": 1`); what is shown is made from them alone.
"""
