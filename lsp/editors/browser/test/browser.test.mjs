// The page in a real browser: diagnostics as they are typed, a completion taken, a fix applied.
// CHROMIUM is the browser, JRUN the command (a list of words as JSON); both have defaults.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { connect } from "node:net";
import { after, before, test } from "node:test";
import { chromium } from "playwright-core";
import { serve } from "../server.mjs";

const BROWSERS = ["/usr/lib/chromium/chromium", "/usr/bin/chromium", "/usr/bin/google-chrome"];
const executablePath = process.env.CHROMIUM ?? BROWSERS.find((path) => existsSync(path));
const command = JSON.parse(process.env.JRUN ?? '["jrun", "lsp"]');
let server, browser, page;
const problems = [];

before(async () => {
  server = await serve({ port: 0, command });
  browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
  page = await browser.newPage({ viewport: { width: 1000, height: 560 } });
  page.on("pageerror", (problem) => problems.push(String(problem)));
  page.on("console", (message) => message.type() === "error" && problems.push(message.text()));
  await page.goto(`http://127.0.0.1:${server.address().port}/`);
  await page.getByText("connected", { exact: true }).waitFor();
});

after(async () => {
  await browser?.close();
  server?.closeAllConnections();
  server?.close();
});

const text = () => page.evaluate(() => [...document.querySelectorAll(".cm-line")].map((one) => one.textContent));
const lineOf = (words) => page.locator(".cm-line", { hasText: words });

test("a mistake is marked as it is typed, and its fix takes it away", async () => {
  await lineOf(/^ {2}model {2}small$/).click();
  await page.keyboard.press("End");
  await page.keyboard.press("Backspace");
  const mark = page.locator(".cm-lintRange-error");
  await mark.waitFor();
  assert.equal(await mark.textContent(), "smal");
  await mark.hover();
  const fix = page.getByRole("button", { name: "Replace with `small`" });
  await fix.waitFor();
  if (process.env.SCREENSHOT) await page.screenshot({ path: process.env.SCREENSHOT });
  await fix.click();
  await mark.waitFor({ state: "detached" });
  assert.ok((await text()).includes("  model  small"));
});

test("a completion is offered and taken, with its places to fill in", async () => {
  await lineOf("judges [short]").click();
  await page.keyboard.press("End");
  await page.keyboard.press("Enter");
  await page.keyboard.type("retr");
  const option = page.locator(".cm-tooltip-autocomplete li", { hasText: "retries" });
  await option.waitFor();
  if (process.env.SCREENSHOT) await page.screenshot({ path: process.env.SCREENSHOT.replace(".png", "-2.png") });
  await page.waitForTimeout(150); // a completion that has only just appeared is not taken
  await page.keyboard.press("Enter");
  await lineOf("retries 2").waitFor();
  assert.ok((await text()).includes("  retries 2"));
});

test("what is under the mouse is explained", async () => {
  await lineOf("return writer(task)").hover({ position: { x: 100, y: 10 } });
  await page.locator(".cm-lsp-hover-tooltip", { hasText: "agent writer" }).waitFor();
});

test("a page of another origin is not let in", async () => {
  const { port } = server.address();
  const closed = await new Promise((done) => {
    const socket = connect(port, "127.0.0.1", () => {
      socket.write(
        `GET /lsp HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nOrigin: http://evil.example\r\nConnection: Upgrade\r\n` +
          "Upgrade: websocket\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n",
      );
    });
    let answer = "";
    socket.on("data", (data) => (answer += data));
    socket.on("close", () => done(answer));
  });
  assert.equal(closed, "");
});

test("nothing went wrong on the page", () => assert.deepEqual(problems, []));
