// The native watchdog ends an extension host whose server died; ours is ended with its process group.
exports.start = () => undefined;
exports.exit = (code) => process.exit(code ?? 0);
