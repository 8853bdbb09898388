-- Appends telemetry to a machine's stream, each sample once.
--
-- KEYS  1 stream  2 sequence numbers seen from this boot of the device  3 boots of the device
--       4 two boots that send at the same time (shared token)
-- ARGV  1 a msgpack array (one argument is cheaper for both sides than many): maximum length of the stream,
--       life of the seen numbers in ms, maximum number of boots of a device; device, boot, received, oldest and
--       newest machine time of the batch in us; head of the entry; for each sample: sequence number, encoded
--       sample
-- returns {accepted, duplicate}, and the other boot if two boots send at the same time;
--         {-1, 0} if the stream is full, {-2, 0} if the device has too many boots: no sample was accepted
--
-- Seen numbers are disjoint intervals that do not touch, in a sorted set: member = first, score = last.
-- Boots are a hash: boot -> its oldest machine time; '' -> the latest boot.

local stream, seen, boots, shared = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local cap, life, most, device, boot, received, oldest, newest, head, samples = unpack(cmsgpack.unpack(ARGV[1]))

local SILENT_MS = 60000     -- a boot that was silent for longer has ended
local OVERLAP_US = 1000000  -- machine time that the samples of two boots must have in common
local SHOWN_MS = 300000     -- how long it is reported after it was last noticed

if redis.call('XLEN', stream) >= cap then
  return {-1, 0}
end

local function seen_of(other)
  return string.sub(seen, 1, -1 - #boot) .. other
end

-- remove boots whose seen numbers have expired
local function purge()
  for _, other in ipairs(redis.call('HKEYS', boots)) do
    if other ~= '' and redis.call('EXISTS', seen_of(other)) == 0 then
      redis.call('HDEL', boots, other)
    end
  end
end

local function text(number)
  return string.format('%.0f', number)
end

local known = redis.call('HMGET', boots, boot, '')
local latest = known[2]
if not known[1] then
  if redis.call('HLEN', boots) > most then
    purge()
    if redis.call('HLEN', boots) > most then
      return {-2, 0}
    end
  end
  redis.call('HSET', boots, boot, text(oldest))
  local began = latest and redis.call('HGET', boots, latest)
  if not began or tonumber(began) < oldest then
    redis.call('HSET', boots, '', boot)
    latest = boot
  end
end

-- the interval that ends last before a number, if it touches it
local function touching(number)
  return redis.call('ZRANGE', seen, text(number - 1), text(number - 1), 'BYSCORE')[1]
end

-- the first interval that ends at a number or above: its first and last
local function at_or_above(number)
  return unpack(redis.call('ZRANGE', seen, text(number), '+inf', 'BYSCORE', 'LIMIT', 0, 1, 'WITHSCORES'))
end

-- add a number to the intervals; false if it was there
local function remember(number)
  local first, last = at_or_above(number)
  if first and tonumber(first) <= number then
    return false
  end
  local from = touching(number) or text(number)
  if first and tonumber(first) == number + 1 then
    redis.call('ZREM', seen, first)
    redis.call('ZADD', seen, last, from)
  else
    redis.call('ZADD', seen, text(number), from)
  end
  return true
end

-- add consecutive numbers in one step, if none of them nor the next one is known; the usual case
local function remember_run(from, to)
  local first = at_or_above(from)
  if first and tonumber(first) <= to + 1 then
    return false
  end
  redis.call('ZADD', seen, text(to), touching(from) or text(from))
  return true
end

-- the end of the run of consecutive numbers that starts at index i
local function run_end(i)
  local number = samples[i]
  while samples[i + 2] == number + 1 do
    i, number = i + 2, number + 1
  end
  return i, number
end

local fresh = {}
local duplicate = 0
local i = 1
while i < #samples do
  local stop, last = run_end(i)
  local new = remember_run(samples[i], last)
  for k = i, stop, 2 do
    if new or remember(samples[k]) then
      fresh[#fresh + 1] = samples[k + 1]
    else
      duplicate = duplicate + 1
    end
  end
  i = stop + 2
end

-- msgpack array header, then the encoded samples
local count = #fresh
if count > 0 then
  local header
  if count < 16 then
    header = string.char(0x90 + count)
  else
    header = string.char(0xdc, math.floor(count / 256), count % 256)
  end
  redis.call('XADD', stream, '*', 'e', head .. header .. table.concat(fresh))
end
redis.call('PEXPIRE', seen, life)
redis.call('PEXPIRE', boots, life)

-- an earlier boot has samples from after the begin of the latest one, which still sends: two devices
if count > 0 and latest ~= boot then
  local began = redis.call('HGET', boots, latest)
  local silent = life - redis.call('PTTL', seen_of(latest))
  if began and newest > tonumber(began) + OVERLAP_US and silent < SILENT_MS then
    redis.call('HSET', shared, 'device', device, 'earlier', boot, 'later', latest, 'at', text(received))
    redis.call('PEXPIRE', shared, SHOWN_MS)
    return {count, duplicate, latest}
  end
end
return {count, duplicate}
