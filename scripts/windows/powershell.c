/*
 * Stands in for PowerShell under Wine, which has none. It gives the line after -Command to cmd.exe, without the frame that the product puts
 * around it, and ends as cmd.exe does. Of PowerShell's language it knows only what the product itself writes: variables of the
 * environment that are set first, a program with quoted words after `&`, and a listing of processes; and of what a user would
 * write, a first `Start-Process -NoNewWindow`.
 */
#include <windows.h>
#include <shellapi.h>
#include <stdio.h>
#include <tlhelp32.h>
#include <wchar.h>

#define LONGEST 32767

/* Copies the word in single quotes at `from`, in which a doubled quote is one. Returns what follows. */
static const wchar_t *read_quoted(const wchar_t *from, wchar_t **to) {
  for (from++; *from; from++) {
    if (*from == L'\'' && *++from != L'\'') break;
    *(*to)++ = *from;
  }
  return from;
}

/* Sets the variables at the beginning of a line, as in `$env:NAME='value'; `. Returns what follows. */
static const wchar_t *set_variables(const wchar_t *line) {
  static wchar_t name[LONGEST], value[LONGEST];
  while (!wcsncmp(line, L"$env:", 5)) {
    const wchar_t *equals = wcschr(line, L'=');
    if (!equals || equals[1] != L'\'') break;
    wcsncpy(name, line + 5, equals - line - 5);
    name[equals - line - 5] = 0;
    wchar_t *end = value;
    line = read_quoted(equals + 1, &end);
    *end = 0;
    SetEnvironmentVariableW(name, value);
    while (*line == L';' || *line == L' ') line++;
  }
  return line;
}

static DWORD start_program(wchar_t *line, int waits) {
  STARTUPINFOW start = {.cb = sizeof start};
  PROCESS_INFORMATION process;
  if (!CreateProcessW(NULL, line, NULL, NULL, waits, 0, NULL, NULL, &start, &process)) return 66;
  DWORD code = 67;
  if (waits) WaitForSingleObject(process.hProcess, INFINITE);
  GetExitCodeProcess(process.hProcess, &code);
  return code;
}

/* Starts the program of a first `Start-Process -NoNewWindow PROGRAM ARGUMENT; `. Returns what follows. */
static wchar_t *start_first(wchar_t *line) {
  static const wchar_t START[] = L"Start-Process -NoNewWindow ";
  wchar_t *end = wcschr(line, L';');
  if (wcsncmp(line, START, wcslen(START)) || !end) return line;
  *end = 0;
  start_program(line + wcslen(START), 0);
  return end + 2;
}

static void append_line(const wchar_t *line, wchar_t *to) {
  int is_call = line[0] == L'&' && line[1] == L' ';
  if (is_call) line += 2;
  while (*line) {
    if (!is_call || *line != L'\'') {
      *to++ = *line++;
      continue;
    }
    *to++ = L'"';
    line = read_quoted(line, &to);
    *to++ = L'"';
  }
  *to++ = L'"';
  *to = 0;
}

/* Prints each process as `ID PARENT START`, its start as a file time. */
static int list_processes(void) {
  HANDLE all = CreateToolhelp32Snapshot(TH32CS_SNAPPROCESS, 0);
  PROCESSENTRY32W entry = {.dwSize = sizeof entry};
  for (BOOL more = Process32FirstW(all, &entry); more; more = Process32NextW(all, &entry)) {
    HANDLE process = OpenProcess(PROCESS_QUERY_LIMITED_INFORMATION, FALSE, entry.th32ProcessID);
    FILETIME start, end, kernel, user;
    if (!process || !wcscmp(entry.szExeFile, L"conhost.exe")) continue;
    if (GetProcessTimes(process, &start, &end, &kernel, &user))
      printf("%lu %lu %llu\n", entry.th32ProcessID, entry.th32ParentProcessID,
             (unsigned long long)start.dwHighDateTime << 32 | start.dwLowDateTime);
    CloseHandle(process);
  }
  return 0;
}

int wmain(void) {
  int count;
  wchar_t **words = CommandLineToArgvW(GetCommandLineW(), &count);
  wchar_t *line = NULL;
  for (int at = 1; at + 1 < count && !line; at++)
    if (!_wcsicmp(words[at], L"-Command")) line = words[at + 1];
  if (!line || wcslen(line) > LONGEST - 100) return 64;
  if (wcsstr(line, L"Get-CimInstance Win32_Process")) return list_processes();
  wchar_t *end = wcsstr(line, L"\n;if (-not $?)");
  if (end) *end = 0;
  if (!wcsncmp(line, L"try {", 5) && wcschr(line, L'\n')) line = wcschr(line, L'\n') + 1;
  static wchar_t whole[2 * LONGEST] = L"cmd.exe /d /s /c \"";
  append_line(set_variables(start_first(line)), whole + wcslen(whole));
  return (int)start_program(whole, 1);
}
