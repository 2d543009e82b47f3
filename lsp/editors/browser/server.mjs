// Serves the page on this machine alone, and gives every page that connects a `jrun lsp` of its own.
import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { fileURLToPath } from "node:url";
import { WebSocketServer } from "ws";

const FILES = {
  "/": ["index.html", "text/html; charset=utf-8"],
  "/page.js": ["out/page.js", "text/javascript; charset=utf-8"],
};

export function serve({ port = 8790, command = ["jrun", "lsp"] } = {}) {
  const server = createServer(async (request, response) => {
    const [file, type] = FILES[new URL(request.url, "http://localhost").pathname] ?? [];
    if (!file) return response.writeHead(404).end();
    response.writeHead(200, { "content-type": type });
    response.end(await readFile(fileURLToPath(new URL(file, import.meta.url))));
  });
  const sockets = new WebSocketServer({ noServer: true });
  server.on("upgrade", (request, socket, head) => {
    // Any page of the web may try to connect to this machine: only our own may.
    const own = request.url === "/lsp" && request.headers.origin === `http://${request.headers.host}`;
    if (!own) return socket.destroy();
    sockets.handleUpgrade(request, socket, head, (connection) => join(connection, command));
  });
  return new Promise((done) => server.listen(port, "127.0.0.1", () => done(server)));
}

/** A web socket carries bodies, a language server wants a header before each. */
function join(connection, [program, ...words]) {
  const child = spawn(program, words, { stdio: ["pipe", "pipe", "inherit"] });
  child.on("error", (problem) => connection.close(1011, problem.message.slice(0, 100)));
  child.on("exit", () => connection.close());
  child.stdin.on("error", () => connection.close());
  connection.on("close", () => child.kill());
  connection.on("message", (data) => {
    const body = Buffer.from(data);
    child.stdin.write(`Content-Length: ${body.length}\r\n\r\n`);
    child.stdin.write(body);
  });
  let waiting = Buffer.alloc(0);
  child.stdout.on("data", (data) => {
    waiting = Buffer.concat([waiting, data]);
    for (;;) {
      const end = waiting.indexOf("\r\n\r\n");
      if (end < 0) return;
      const length = Number(/content-length: *(\d+)/i.exec(waiting.toString("latin1", 0, end))?.[1]);
      if (waiting.length < end + 4 + length) return;
      connection.send(waiting.toString("utf8", end + 4, end + 4 + length));
      waiting = waiting.subarray(end + 4 + length);
    }
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const server = await serve({ port: Number(process.env.PORT ?? 8790) });
  console.log(`http://127.0.0.1:${server.address().port}`);
}
