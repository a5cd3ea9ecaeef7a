# Turns the lines of WordNet's data files into interchange; called by `convert`, which sets `pass`.
#
# offset file type count  word lex_id ...  count  symbol offset part words ...  [frames] | gloss
#
# Only what POSIX promises of awk is used: mawk, gawk, busybox and macOS's awk all agree.

BEGIN {
  partName["n"] = "noun";             partName["v"] = "verb"
  partName["a"] = "adjective";        partName["r"] = "adverb"

  kind["!"] = "antonym"
  kind["@"] = "hypernym";             kind["@i"] = "instance_hypernym"
  kind["~"] = "hyponym";              kind["~i"] = "instance_hyponym"
  kind["#m"] = "member_holonym";      kind["%m"] = "member_meronym"
  kind["#s"] = "substance_holonym";   kind["%s"] = "substance_meronym"
  kind["#p"] = "part_holonym";        kind["%p"] = "part_meronym"
  kind[";c"] = "topic_domain";        kind["-c"] = "topic_domain_member"
  kind[";r"] = "region_domain";       kind["-r"] = "region_domain_member"
  kind[";u"] = "usage_domain";        kind["-u"] = "usage_domain_member"
  kind["="] = "attribute";            kind["+"] = "derivation"
  kind["*"] = "entailment";           kind[">"] = "cause"
  kind["^"] = "also_see";             kind["$"] = "verb_group"
  kind["&"] = "similar";              kind["<"] = "participle"
  kind["\\"] = "pertainym"
  # The same symbol means something else where an adverb carries it.
  adverbKind["\\"] = "derived_from"

  print "{\"op\":\"define\",\"collection\":\"synsets\",\"fields\":[" \
    "{\"name\":\"word\",\"type\":\"text\",\"search\":true}," \
    "{\"name\":\"words\",\"type\":\"text\",\"search\":true}," \
    "{\"name\":\"gloss\",\"type\":\"text\",\"search\":true}," \
    "{\"name\":\"part\",\"type\":\"text\",\"index\":true}]}"
  print "{\"op\":\"define\",\"collection\":\"pointers\",\"relationship\":true,\"fields\":[" \
    "{\"name\":\"kind\",\"type\":\"text\",\"index\":true}]}"
}

function fail(problem) {
  print FILENAME ": line " FNR ": " problem > "/dev/stderr"
  exit 1
}

# Backslash and quote are the only characters of printable ASCII that JSON escapes. A control
# character would make the line invalid, and none belongs here.
function json(text) {
  if (text ~ /[\001-\037\177]/) fail("unexpected control character")
  gsub(/\\/, "\\\\&", text)
  gsub(/"/, "\\\\&", text)
  return "\"" text "\""
}

# The number of words is hexadecimal, and POSIX awk does not read that.
function hexadecimal(digits,    i, value) {
  value = 0
  for (i = 1; i <= length(digits); i++)
    value = value * 16 + index("0123456789abcdef", tolower(substr(digits, i, 1))) - 1
  return value
}

# An adjective's syntactic marker, "(a)", "(p)" or "(ip)", is not part of the word.
function plain(word) {
  sub(/\((a|p|ip)\)$/, "", word)
  gsub(/_/, " ", word)
  return word
}

# Satellites ("s") stand in the adjectives' file and are referred to as adjectives.
function synset(part, offset) {
  return (part == "s" ? "a" : part) offset
}

# The licence at the head of each file is indented.
/^  / { next }

{
  bar = index($0, " | ")
  count = hexadecimal($4)
  id = synset($3, $1)
  if (!bar || $1 !~ /^[0-9]+$/ || !(substr(id, 1, 1) in partName) || count < 1)
    fail("not a synset in the format of wndb")
}

pass == "synsets" {
  word = plain($5)
  words = word
  for (i = 1; i < count; i++) words = words ", " plain($(5 + 2 * i))
  gloss = substr($0, bar + 3)
  sub(/ +$/, "", gloss)
  print "{\"op\":\"insert\",\"collection\":\"synsets\",\"id\":\"" id "\",\"fields\":{\"word\":" \
    json(word) ",\"words\":" json(words) ",\"gloss\":" json(gloss) \
    ",\"part\":\"" partName[substr(id, 1, 1)] "\"}}"
}

pass == "pointers" {
  split("", seen)
  first = 5 + 2 * count
  # Busybox takes a number that begins with a zero for an octal one.
  pointers = $first
  sub(/^0+/, "", pointers)
  pointers += 0
  for (i = 0; i < pointers; i++) {
    at = first + 1 + 4 * i
    name = ($3 == "r" && $at in adverbKind) ? adverbKind[$at] : kind[$at]
    if (name == "") fail("unknown pointer symbol " $at)
    target = synset($(at + 2), $(at + 1))
    edge = id "-" name "-" target
    if (edge in seen) continue
    seen[edge] = 1
    print "{\"op\":\"insert\",\"collection\":\"pointers\",\"id\":\"" edge "\",\"source\":\"" id \
      "\",\"target\":\"" target "\",\"fields\":{\"kind\":\"" name "\"}}"
  }
}
