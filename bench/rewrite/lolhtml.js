// Copies pages through lol-html, which Bun has as HTMLRewriter. The argument says
// what is looked at: "head", the element alone, or "text", all text of the page.
// Each line of the input is a command in JSON, and is answered by a line:
//   {"page": path}      → {"length": of what comes out}
//   {"milliseconds": n} → {"copies": n, "cpu": microseconds of this process}
let page, seen = 0;
const rewriter = process.argv[2] === "text"
  ? new HTMLRewriter().on("*", { text() { seen++; } })
  : new HTMLRewriter().on("head", { element() { seen++; } });

for await (const line of console) {
  if (line === "") continue;
  const command = JSON.parse(line);
  if (command.page) {
    page = await Bun.file(command.page).arrayBuffer();
    seen = 0;
    const out = rewriter.transform(page);
    if (seen === 0) throw new Error("the handler was not called");
    console.log(JSON.stringify({ length: out.byteLength }));
    continue;
  }
  Bun.gc(true);
  const cpu = process.cpuUsage(), began = performance.now();
  let copies = 0;
  do {
    rewriter.transform(page);
    copies++;
  } while (performance.now() - began < command.milliseconds);
  const { user, system } = process.cpuUsage(cpu);
  console.log(JSON.stringify({ copies, cpu: user + system }));
}
