-- Take telemetry into a machine's stream, each sample once.
--
-- KEYS  1 stream  2 sequence numbers seen from this start of the device  3 starts of the device
--       4 two starts that send at once
-- ARGV  1 a msgpack array (one argument is cheaper for both sides than many): largest length of the stream,
--       life of the seen numbers in ms, most starts of a device; device, boot, received, oldest and newest
--       machine time of the batch in us; head of the entry; for each sample: sequence number, encoded sample
-- returns {accepted, duplicate}, with the other boot behind them if two starts send at once;
--         {-1, 0} if the stream is full, {-2, 0} if the device has too many starts: nothing was taken
--
-- Seen numbers are disjoint intervals that do not touch, in a sorted set: member = first, score = last.
-- Starts are a hash: boot -> its oldest machine time; '' -> the boot that started last.

local stream, seen, starts, rivals = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local cap, life, most, device, boot, received, oldest, newest, head, samples = unpack(cmsgpack.unpack(ARGV[1]))

local RIVAL_MS = 60000      -- a start that was silent for longer is over
local OVERLAP_US = 1000000  -- machine time for which two starts must both have samples
local SHOWN_MS = 300000     -- how long it is told after it was seen last

if redis.call('XLEN', stream) >= cap then
  return {-1, 0}
end

local function seen_of(other)
  return string.sub(seen, 1, -1 - #boot) .. other
end

-- forget starts whose seen numbers have expired
local function purge()
  for _, other in ipairs(redis.call('HKEYS', starts)) do
    if other ~= '' and redis.call('EXISTS', seen_of(other)) == 0 then
      redis.call('HDEL', starts, other)
    end
  end
end

local function text(number)
  return string.format('%.0f', number)
end

local known = redis.call('HMGET', starts, boot, '')
local latest = known[2]
if not known[1] then
  if redis.call('HLEN', starts) > most then
    purge()
    if redis.call('HLEN', starts) > most then
      return {-2, 0}
    end
  end
  redis.call('HSET', starts, boot, text(oldest))
  local began = latest and redis.call('HGET', starts, latest)
  if not began or tonumber(began) < oldest then
    redis.call('HSET', starts, '', boot)
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

-- add numbers that follow each other, if nothing is known of them and the next; the usual case, in one step
local function remember_run(from, to)
  local first = at_or_above(from)
  if first and tonumber(first) <= to + 1 then
    return false
  end
  redis.call('ZADD', seen, text(to), touching(from) or text(from))
  return true
end

-- how far the numbers follow each other, from place i on
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

-- msgpack array header, then the samples as they came
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
redis.call('PEXPIRE', starts, life)

-- an earlier start has samples from after the beginning of the latest one, which still sends: two devices
if count > 0 and latest ~= boot then
  local began = redis.call('HGET', starts, latest)
  local silent = life - redis.call('PTTL', seen_of(latest))
  if began and newest > tonumber(began) + OVERLAP_US and silent < RIVAL_MS then
    redis.call('HSET', rivals, 'device', device, 'earlier', boot, 'later', latest, 'at', text(received))
    redis.call('PEXPIRE', rivals, SHOWN_MS)
    return {count, duplicate, latest}
  end
end
return {count, duplicate}
