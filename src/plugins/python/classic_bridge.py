"""Runs one plugin of classic AutoGPT and answers calls of its hooks, one line of JSON each, on file descriptor 3.

The first lines also run on Python 2, so that it can say that it's too old. No package is needed.
"""

import json
import os
import sys

CALLS = 3
OLDEST = (3, 8)


def send(message):
    data = (json.dumps(message, default=str) + "\n").encode("utf-8")
    with SENDING:
        while data:
            data = data[os.write(CALLS, data) :]


if sys.version_info < OLDEST:
    os.read(CALLS, 65536)
    version = ".".join(str(part) for part in sys.version_info[:3])
    problem = {"id": 1, "error": "too old: " + version}
    os.write(CALLS, (json.dumps(problem) + "\n").encode("utf-8"))
    sys.exit(0)

import abc
import ast
import asyncio
import ctypes
import importlib.util
import inspect
import re
import threading
import traceback
import types
import typing

SENDING = threading.Lock()

# Classic names of hooks, in the order in which classic AutoGPT calls them.
HOOKS = (
    "post_prompt on_planning on_response post_planning pre_command post_command pre_instruction on_instruction "
    "post_instruction chat_completion text_embedding user_input report"
).split()

# Arguments with which a plugin is asked whether it has a hook.
QUESTIONS = {"chat_completion": ([], "", 0.0, 0), "text_embedding": ("",), "user_input": ("",)}

# Calls that may wait for people or servers. Their threads are left alone when the answer isn't needed any more.
PATIENT = ("answer", "model", "run")

IDENTIFIER = re.compile(r"^[A-Za-z_][A-Za-z0-9_-]{0,63}$")


class PromptGenerator:
    """The part of the classic class that plugins use."""

    def __init__(self, payload):
        self.goals = list(payload.get("goals", []))
        self.name = payload.get("name", "")
        self.role = payload.get("role", "")
        self.constraints = []
        self.resources = []
        self.performance_evaluation = []
        self.best_practices = self.performance_evaluation
        self.commands = []
        self.command_registry = None
        self.response_format = {}

    def add_constraint(self, constraint):
        self.constraints.append(constraint)

    def add_resource(self, resource):
        self.resources.append(resource)

    def add_performance_evaluation(self, evaluation):
        self.performance_evaluation.append(evaluation)

    add_best_practice = add_performance_evaluation

    def add_command(self, command_label, command_name, params=None, function=None, enabled=None, *_):
        # Several published plugins swap the two.
        names = [name for name in (command_name, command_label) if IDENTIFIER.match(str(name))]
        name = names[0] if names else re.sub(r"\W+", "_", str(command_name))
        label = command_label if name == command_name else command_name
        self.commands.append({"label": label, "name": name, "params": params or {}, "function": function})

    def generate_prompt_string(self, *_):
        return ""


class Plugin:
    """A loaded plugin, and what it has offered."""

    def __init__(self, instance):
        self.instance = instance
        self.hooks = [name for name in HOOKS if self.has(name)]
        self.prompt = PromptGenerator({})
        self.functions = {}

    def has(self, hook):
        question = getattr(self.instance, "can_handle_" + hook, None)
        try:
            return callable(question) and bool(question(*QUESTIONS.get(hook, ())))
        except Exception:
            return False

    def call(self, hook, *args):
        """Calls a classic hook; None if the plugin doesn't have it."""
        if hook not in self.hooks:
            return None
        handles = hook in ("chat_completion", "text_embedding")
        return settled(getattr(self.instance, ("handle_" if handles else "") + hook)(*args))

    def offer(self, payload):
        self.prompt = PromptGenerator(payload)
        changed = self.call("post_prompt", self.prompt)
        prompt = changed if changed is not None else self.prompt
        self.prompt = prompt
        commands = [command for command in prompt.commands if callable(command.get("function"))]
        self.functions = {command["name"]: command["function"] for command in commands}
        return {
            "commands": [described(command) for command in commands],
            "constraints": [str(text) for text in prompt.constraints],
            "resources": [str(text) for text in prompt.resources],
            "bestPractices": [str(text) for text in prompt.performance_evaluation],
        }

    def beforeThinking(self, payload):
        lines = ["Goals:"] + payload["goals"] + ["Plan:"] + payload["plan"]
        messages = [message("system", "\n".join(lines)), message("user", payload["outcome"])]
        note = self.call("on_planning", self.prompt, messages)
        return {"note": str(note)} if note else {}

    def afterReply(self, payload):
        command = {"name": payload["command"], "args": payload["args"]}
        text = json.dumps({"thoughts": payload["thoughts"], "command": command})
        said = self.call("on_response", text)
        reply = parsed(said) if isinstance(said, str) else None
        if not isinstance(reply, dict):
            # The plugin may change what it's given.
            reply = json.loads(text)
        planned = self.call("post_planning", reply)
        reply = parsed(planned) if isinstance(planned, str) else planned if planned is not None else reply
        after = reply.get("command") if isinstance(reply, dict) else None
        if not isinstance(after, dict) or after == command:
            return {}
        return {"command": str(after.get("name", command["name"])), "args": dict(after.get("args", {}))}

    def beforeCommand(self, payload):
        before = (payload["command"], payload["args"])
        after = self.call("pre_command", payload["command"], json.loads(json.dumps(payload["args"])))
        if not isinstance(after, (tuple, list)) or len(after) != 2 or tuple(after) == before:
            return {}
        if after[0] != before[0]:
            return {"ask": "It wants %s to run instead." % after[0]}
        return {"args": after[1]}

    def afterCommand(self, payload):
        after = self.call("post_command", payload["command"], payload["outcome"])
        return {} if after is None or after == payload["outcome"] else {"replace": str(after)}

    def beforeDelegate(self, payload):
        before = [message("user", payload["task"])]
        after = self.call("pre_instruction", [dict(one) for one in before])
        if not isinstance(after, list) or after == before:
            return {}
        return {"replace": "\n".join(str(one["content"]) for one in after)}

    def afterDelegate(self, payload):
        more = self.call("on_instruction", [message("assistant", payload["answer"])])
        before = payload["answer"] + ("\n" + str(more) if more else "")
        after = self.call("post_instruction", before)
        if after is not None and after != before:
            return {"replace": str(after)}
        return {"add": str(more)} if more else {}

    def model(self, payload):
        messages, most = payload["messages"], payload.get("maxReplyTokens", 0)
        return {"text": str(self.call("chat_completion", messages, "", 0.0, most))}

    def embedder(self, payload):
        return {"vectors": [list(self.call("text_embedding", text)) for text in payload["texts"]]}

    def answer(self, payload):
        said = self.call("user_input", payload["question"])
        return {"answer": str(said)} if said is not None else {}

    def report(self, payload):
        self.call("report", payload["text"])
        return {}

    def run(self, name, args):
        if name not in self.functions:
            # This process was started again after the offer.
            self.offer({})
        result = settled(self.functions[name](**args))
        return result if isinstance(result, str) else json.dumps(result, default=str, ensure_ascii=False)


def message(role, content):
    return {"role": role, "content": content}


def settled(value):
    """The value, also of a function that is asynchronous."""
    return asyncio.run(value) if inspect.iscoroutine(value) else value


def parsed(text):
    """The object in a reply, as classic AutoGPT read it."""
    for read in (json.loads, ast.literal_eval):
        try:
            return read(text)
        except Exception:
            continue
    return None


def described(command):
    params = {str(name): str(hint) for name, hint in command["params"].items()}
    properties = {name: {"description": hint} for name, hint in params.items()}
    for name, described_as in properties.items():
        type_name = kind(command["function"], name)
        if type_name:
            described_as["type"] = type_name
    required = [name for name in params if is_required(command["function"], name)]
    parameters = {"type": "object", "properties": properties, "required": required}
    return {"name": command["name"], "description": str(command["label"]), "parameters": parameters}


def parameter(function, name):
    try:
        return inspect.signature(function).parameters.get(name)
    except (TypeError, ValueError):
        return None


def is_required(function, name):
    found = parameter(function, name)
    return found is None or found.default is inspect.Parameter.empty


def kind(function, name):
    """The JSON type of an annotated parameter. Without an annotation, it's a text, as in classic AutoGPT."""
    found = parameter(function, name)
    annotation = str if found is None or found.annotation is inspect.Parameter.empty else found.annotation
    names = {"str": "string", "int": "integer", "float": "number", "bool": "boolean", "list": "array", "dict": "object"}
    return names.get(getattr(annotation, "__name__", str(annotation)))


def offer_template():
    """Stands in for the two packages of the template where they aren't installed, so that plugins need not be changed."""

    class Singleton(abc.ABCMeta):
        instances = {}

        def __call__(cls, *args, **kwargs):
            if cls not in cls.instances:
                cls.instances[cls] = super().__call__(*args, **kwargs)
            return cls.instances[cls]

    singleton = types.ModuleType("abstract_singleton")
    singleton.Singleton = Singleton
    singleton.AbstractSingleton = Singleton("AbstractSingleton", (), {})
    template = types.ModuleType("auto_gpt_plugin_template")
    no = {"can_handle_" + name: lambda self, *args, **kwargs: False for name in HOOKS}
    template.AutoGPTPluginTemplate = Singleton("AutoGPTPluginTemplate", (singleton.AbstractSingleton,), no)
    template.PromptGenerator = typing.TypeVar("PromptGenerator")
    template.Message = dict
    for module in (singleton, template):
        if importlib.util.find_spec(module.__name__) is None:
            sys.modules[module.__name__] = module


def load(root, package):
    """Imports a package and makes the plugin in it."""
    folder = os.path.join(root, package)
    while folder != root:
        folder = os.path.dirname(folder)
        # Behind the libraries: a plugin may have the name of one.
        sys.path.append(folder)
    folder = os.path.join(root, package)
    offer_template()
    name = "classic_plugin_" + re.sub(r"\W", "_", os.path.basename(package) or "root")
    spec = importlib.util.spec_from_file_location(
        name, os.path.join(folder, "__init__.py"), submodule_search_locations=[folder]
    )
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    found = [one for one in vars(module).values() if is_plugin(one)]
    if not found:
        raise TypeError("there is no plugin class in its __init__.py")
    best = sorted(found, key=lambda one: (inspect.isabstract(one), not one.__module__.startswith(name)))
    return Plugin(best[0]())


def is_plugin(value):
    return (
        inspect.isclass(value)
        and value.__name__ != "AutoGPTPluginTemplate"
        and hasattr(value, "can_handle_post_prompt")
    )


class Stopped(BaseException):
    """Ends a call whose answer isn't needed any more."""


class Calls:
    """Runs calls in threads of their own, so that one that hangs can be noticed."""

    def __init__(self):
        self.plugin = None
        self.threads = {}
        self.given_up = set()

    def act(self, call):
        if "hello" in call:
            hello = call["hello"]
            self.plugin = load(hello["root"], hello["package"])
            names = {"name": "_name", "version": "_version", "description": "_description"}
            said = {key: str(getattr(self.plugin.instance, name, "")) for key, name in names.items()}
            return dict(said, hooks=self.plugin.hooks)
        if "run" in call:
            return self.plugin.run(call["run"], call["args"])
        return getattr(self.plugin, call["hook"])(call["payload"])

    def answer(self, call):
        try:
            reply = {"id": call["id"], "answer": self.act(call)}
        except Stopped:
            reply = {"id": call["id"], "aborted": True}
        except BaseException as error:
            traceback.print_exc()
            reply = {"id": call["id"], "error": type(error).__name__ + ": " + str(error)}
        self.threads.pop(call["id"], None)
        if call["id"] not in self.given_up:
            send(reply)

    def take(self, call):
        if call.get("abort"):
            self.stop(call["id"])
            return
        thread = threading.Thread(target=self.answer, args=(call,), daemon=True)
        self.threads[call["id"]] = (thread, call.get("hook", "run" if "run" in call else ""))
        thread.start()

    def stop(self, number):
        """Ends a call. One that can't be ended isn't acknowledged, so that the whole process is."""
        thread, hook = self.threads.get(number, (None, ""))
        if thread is None:
            return
        if hook in PATIENT:
            self.given_up.add(number)
            send({"id": number, "aborted": True})
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread.ident), ctypes.py_object(Stopped))


def main():
    os.set_inheritable(CALLS, False)
    sys.stdin = open(os.devnull)
    sys.path.pop(0)
    calls = Calls()
    rest = b""
    while True:
        chunk = os.read(CALLS, 65536)
        if not chunk:
            os._exit(0)
        lines = (rest + chunk).split(b"\n")
        rest = lines.pop()
        for line in lines:
            calls.take(json.loads(line.decode("utf-8")))


if __name__ == "__main__":
    main()
