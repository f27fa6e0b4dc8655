import { isCurrency, isGlue, read } from './character';
import { currencies, extensions, Kind, mark, maxWord, otherNames } from './rules';
import type { Run } from './run';
import { bare, compact, slug, type Writing } from './writing';

function isAmong(words: string, word: string): boolean {
  return words.split(' ').includes(word);
}

/** Whether the run's first writing is free of the text before it. */
export function freeBefore({ text, begin }: Run, w: Writing): boolean {
  if (w.plus || !begin) {
    return true;
  }
  let i = begin - 1;
  if (!w.open && (isGlue(text[i]) || '=@\\'.includes(text[i]) || ('-/'.includes(text[i]) && slug(w)))) {
    return false;
  }
  // Past spaces, a colon and markup something may say that it is another figure.
  for (let n = 0; n < 4 && i >= 0 && read(text, i, false).kind & (Kind.Space | Kind.Colon | Kind.Hidden | Kind.Tag); n++) {
    i--;
  }
  if (i < 0 || !bare(w)) {
    return true;
  }
  let word = '';
  for (; i >= 0 && word.length < maxWord && isGlue(text[i]); i--) {
    word = text[i] + word;
  }
  return word ? !isAmong(otherNames, word.toLowerCase()) : !(/[#\u2116]/.test(text[i]) || isCurrency(text[i]));
}

/** Whether the run's last writing is free of the text behind it. */
export function freeAfter({ text, end, gap }: Run, w: Writing): boolean {
  if (end < 0) {
    return true;
  }
  const apart = gap & (Kind.Seen | Kind.Tag);
  const near = !(gap & ~(Kind.Space | Kind.Tag | Kind.Hidden));
  let word = '';
  for (let i = end; i < text.length && word.length < maxWord && isGlue(text[i]) && text[i] !== mark; i++) {
    if (read(text, i, false).kind !== Kind.Other) {
      break;
    }
    word += text[i].toLowerCase();
  }
  if (!word) {
    return !(!apart && '@=\\'.includes(text[end])) && !(near && isCurrency(text[end]) && bare(w));
  }
  if (!apart) {
    return isAmong(extensions, word);
  }
  if (near) {
    return !bare(w) || !isAmong(currencies, word);
  }
  return apart === Kind.Dash ? !slug(w) : apart !== Kind.Dot || w.plus || !compact(w);
}
