/* Stands in for PowerShell under Wine, which has none: gives the line after -Command to cmd.exe, and ends as that does. */
#include <windows.h>
#include <shellapi.h>
#include <wchar.h>

int wmain(void) {
  int count;
  wchar_t **words = CommandLineToArgvW(GetCommandLineW(), &count);
  const wchar_t *line = NULL;
  for (int at = 1; at + 1 < count && !line; at++)
    if (!_wcsicmp(words[at], L"-Command")) line = words[at + 1];
  if (!line) return 64;
  static wchar_t whole[32767];
  if (swprintf(whole, 32767, L"cmd.exe /d /s /c \"%ls\"", line) < 0) return 65;
  STARTUPINFOW start = {.cb = sizeof start};
  PROCESS_INFORMATION process;
  if (!CreateProcessW(NULL, whole, NULL, NULL, TRUE, 0, NULL, NULL, &start, &process)) return 66;
  WaitForSingleObject(process.hProcess, INFINITE);
  DWORD code = 67;
  GetExitCodeProcess(process.hProcess, &code);
  return (int)code;
}
