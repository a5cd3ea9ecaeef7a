// The merge of two texts that began as one, word by word.

/** Splits a text into words with the space behind them; lines stay apart. */
const words = (text) => text.match(/\n|[^\s\n]+[^\S\n]*|[^\S\n]+/g) ?? [];

/** The most words of which a merge is made; beyond, the texts are set one below the other. */
const MOST = 4000;

/** Returns for each word of `from` the number of the word in `to` that it is; −1 for none. */
function matches(from, to) {
  let begin = 0;
  while (begin < from.length && begin < to.length && from[begin] === to[begin]) begin += 1;
  let [a, b] = [from.length, to.length];
  while (a > begin && b > begin && from[a - 1] === to[b - 1]) [a, b] = [a - 1, b - 1];
  const found = from.map((_, place) => {
    if (place < begin) return place;
    return place >= a ? place - a + b : -1;
  });
  const [rows, columns] = [a - begin, b - begin];
  if (rows * columns > 4_000_000) return found;
  const lengths = Array.from({ length: rows + 1 }, () => new Uint32Array(columns + 1));
  for (let i = rows - 1; i >= 0; i -= 1) {
    for (let j = columns - 1; j >= 0; j -= 1) {
      lengths[i][j] = from[begin + i] === to[begin + j]
        ? lengths[i + 1][j + 1] + 1 : Math.max(lengths[i + 1][j], lengths[i][j + 1]);
    }
  }
  for (let i = 0, j = 0; i < rows && j < columns;) {
    if (from[begin + i] === to[begin + j]) {
      found[begin + i] = begin + j;
      [i, j] = [i + 1, j + 1];
    } else if (lengths[i + 1][j] >= lengths[i][j + 1]) i += 1;
    else j += 1;
  }
  return found;
}

/**
 * Merges two texts by what each has changed in their common base.
 * Where both have changed the same words, both versions stand one after the other.
 * @returns the text, and the number of such places
 */
export function merge(base, one, other) {
  const [o, a, b] = [words(base ?? ""), words(one), words(other)];
  if (one === other) return { text: one, clashes: 0 };
  if (Math.max(o.length, a.length, b.length) > MOST) {
    return { text: one + "\n" + other, clashes: 1 };
  }
  const [inA, inB] = [matches(o, a), matches(o, b)];
  const parts = [];
  let clashes = 0;
  let [i, j, k] = [0, 0, 0];
  for (;;) {
    // The next word of the base that both still have.
    let next = i;
    while (next < o.length && (inA[next] < 0 || inB[next] < 0)) next += 1;
    const [endA, endB] = next < o.length ? [inA[next], inB[next]] : [a.length, b.length];
    const was = o.slice(i, next).join("");
    const partA = a.slice(j, endA).join("");
    const partB = b.slice(k, endB).join("");
    if (partA === partB || partB === was) parts.push(partA);
    else if (partA === was) parts.push(partB);
    else {
      clashes += 1;
      parts.push(partA, partA && !/\s$/.test(partA) && partB ? " " : "", partB);
    }
    if (next >= o.length) break;
    parts.push(o[next]);
    [i, j, k] = [next + 1, endA + 1, endB + 1];
  }
  return { text: parts.join(""), clashes };
}

/** Returns the parts of two texts, each marked as in both or in one only. */
export function differences(one, other) {
  const [a, b] = [words(one), words(other)];
  if (Math.max(a.length, b.length) > MOST) {
    return { one: [{ text: one, same: false }], other: [{ text: other, same: false }] };
  }
  const found = matches(a, b);
  const inB = new Set(found.filter((place) => place >= 0));
  const join = (list, isSame) => {
    const parts = [];
    list.forEach((text, place) => {
      const same = isSame(place);
      const last = parts.at(-1);
      if (last && last.same === same) last.text += text;
      else parts.push({ text, same });
    });
    return parts;
  };
  return {
    one: join(a, (place) => found[place] >= 0), other: join(b, (place) => inB.has(place)),
  };
}
