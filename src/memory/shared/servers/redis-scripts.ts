/*
 * The log of a project is a stream, with a hash beside it: the field "epoch" names the log, and each other field is the author and the ID
 * of a memory, with the ID of its entry. A script is one step for the server, so a memory can't be appended twice or half removed.
 */

/** The keys of a project's stream and hash, which share a slot in a cluster. */
export function getRedisKeys(project: string): readonly [stream: string, known: string] {
  return [`autogpt:${project}`, `{autogpt:${project}}:known`];
}

/** Arguments: a name for a new log, then for each memory its field in the hash, row, embedder and vector. */
export const APPEND = `
redis.call('HSETNX', KEYS[2], 'epoch', ARGV[1])
for at = 2, #ARGV, 4 do
  if redis.call('HEXISTS', KEYS[2], ARGV[at]) == 0 then
    local id = redis.call('XADD', KEYS[1], '*', 'row', ARGV[at + 1], 'embedder', ARGV[at + 2], 'vector', ARGV[at + 3])
    redis.call('HSET', KEYS[2], ARGV[at], id)
  end
end
return redis.status_reply('OK')`;

/** Arguments: for each memory its field in the hash and the row that marks its removal. */
export const REMOVE = `
for at = 1, #ARGV, 2 do
  local id = redis.call('HGET', KEYS[2], ARGV[at])
  if id then
    redis.call('XADD', KEYS[1], '*', 'row', ARGV[at + 1])
    redis.call('XDEL', KEYS[1], id)
    redis.call('HDEL', KEYS[2], ARGV[at])
  end
end
return redis.status_reply('OK')`;

/** Finds the end of the stream, even if its last entries were deleted. */
const LAST = `
local last = '0-0'
if redis.call('EXISTS', KEYS[1]) == 1 then
  local info = redis.call('XINFO', 'STREAM', KEYS[1])
  for at = 1, #info, 2 do
    if info[at] == 'last-generated-id' then last = info[at + 1] end
  end
end`;

/** Returns the log's name and the stream's end. */
export const END = `${LAST}
return {redis.call('HGET', KEYS[2], 'epoch'), last}`;

/**
 * Arguments: the first entry's ID, the number of entries, the most bytes of a row and of all rows, the wanted embedder. Returns the log's
 * name, its end, and the ID, row and vector of each entry; those of a row that is too large are empty.
 */
export const PULL = `${LAST}
local entries = redis.call('XRANGE', KEYS[1], ARGV[1], '+', 'COUNT', ARGV[2])
local rows = {}
local room = tonumber(ARGV[4])
for place, entry in ipairs(entries) do
  local found = {row = '', embedder = '', vector = ''}
  for at = 1, #entry[2], 2 do
    if #entry[2][at + 1] <= tonumber(ARGV[3]) then found[entry[2][at]] = entry[2][at + 1] end
  end
  if found.embedder ~= ARGV[5] then found.vector = '' end
  room = room - #found.row - #found.vector
  if room < 0 and place > 1 then break end
  rows[place] = {entry[1], found.row, found.vector}
end
return {redis.call('HGET', KEYS[2], 'epoch'), last, rows, #entries}`;

/**
 * Arguments: the last entry's ID, the number of entries. Returns the ID of the first of that many entries up to it, and their actual
 * number.
 */
export const BACK = `
local entries = redis.call('XREVRANGE', KEYS[1], ARGV[1], '-', 'COUNT', ARGV[2])
if #entries == 0 then return {'', 0} end
return {entries[#entries][1], #entries}`;
