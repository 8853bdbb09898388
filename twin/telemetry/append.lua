-- Take telemetry into a machine's stream, each sample once.
--
-- KEYS  1 stream  2 sequence numbers seen from this start of the device
-- ARGV  1 largest length of the stream  2 life of the seen numbers, ms  3 head of the entry
--       then for each sample: sequence number, encoded sample
-- returns {accepted, duplicate}, or {-1, 0} if the stream is full and nothing was taken
--
-- Seen numbers are disjoint intervals that do not touch, in a sorted set: member = first, score = last.

local stream, seen = KEYS[1], KEYS[2]

if redis.call('XLEN', stream) >= tonumber(ARGV[1]) then
  return {-1, 0}
end

local function text(number)
  return string.format('%.0f', number)
end

-- add a number to the intervals; false if it was there
local function remember(number)
  local at = text(number)
  local above = redis.call('ZRANGE', seen, at, '+inf', 'BYSCORE', 'LIMIT', 0, 1, 'WITHSCORES')
  local first, last = tonumber(above[1]), above[2]
  if first and first <= number then
    return false
  end
  local below = redis.call('ZRANGE', seen, text(number - 1), text(number - 1), 'BYSCORE')[1]
  if first == number + 1 then
    redis.call('ZREM', seen, above[1])
    redis.call('ZADD', seen, last, below or at)
  else
    redis.call('ZADD', seen, at, below or at)
  end
  return true
end

local fresh = {}
local duplicate = 0
for i = 4, #ARGV, 2 do
  if remember(tonumber(ARGV[i])) then
    fresh[#fresh + 1] = ARGV[i + 1]
  else
    duplicate = duplicate + 1
  end
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
  redis.call('XADD', stream, '*', 'e', ARGV[3] .. header .. table.concat(fresh))
end
redis.call('PEXPIRE', seen, ARGV[2])
return {count, duplicate}
