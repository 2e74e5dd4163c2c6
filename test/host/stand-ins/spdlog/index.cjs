// Writes VS Code's log files without the native module that a compiler would have to build.
const fs = require("node:fs");
const path = require("node:path");

const LEVELS = ["trace", "debug", "info", "warning", "error", "critical", "off"];

class Logger {
  constructor(file) {
    this.file = file;
    this.level = LEVELS.indexOf("info");
    this.plain = false;
  }

  write(level, message) {
    if (level < this.level) return;
    const line = this.plain ? message : `${new Date().toISOString()} [${LEVELS[level]}] ${message}\n`;
    try {
      fs.appendFileSync(this.file, line);
    } catch {
      // The folder of the log is gone: the server is being taken down, and nobody will read it.
    }
  }

  getLevel() {
    return this.level;
  }

  setLevel(level) {
    this.level = level;
  }

  clearFormatters() {
    this.plain = true;
  }

  trace = (message) => this.write(0, message);
  debug = (message) => this.write(1, message);
  info = (message) => this.write(2, message);
  warn = (message) => this.write(3, message);
  error = (message) => this.write(4, message);
  critical = (message) => this.write(5, message);
  setPattern = () => undefined;
  flush = () => undefined;
  drop = () => undefined;
}

async function createLogger(_name, file) {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  return new Logger(file);
}

exports.version = 0;
exports.Logger = Logger;
exports.createRotatingLogger = createLogger;
exports.createAsyncRotatingLogger = createLogger;
exports.setLevel = () => undefined;
exports.setFlushOn = () => undefined;
