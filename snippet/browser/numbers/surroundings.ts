import { isCurrency, isGlue, Kind, mark, read } from './character';
import { compact, type Writing } from './match';
import type { Run } from './run';

/** They announce a figure that is no telephone number. */
const otherNames = words(
  'инн кпп огрн огрнип бик окпо снилс заказ заказа счет счёт арт артикул order invoice id isbn issn ean gtin sku vat iban nip regon pesel siret siren cif nif ico ičo dič cnpj cpf',
);

/** They follow a price. */
const currencies = words(
  'р руб рубль рубля рублей rub rur usd eur euro euros gbp chf uah грн kzt тг тенге byn pln zł czk kč kr sek nok dkk inr rs jpy cny aed brl',
);

/** They begin a further number that is dialled afterwards. */
const extensions = words('x ext доб вн int poste ramal');

function words(list: string): Set<string> {
  return new Set(list.split(' '));
}

/** One letter more than the longest of these words. */
const maxWord = 8;

/** What other figures look like too: no plus sign, and no separators but spaces and dots. */
function bare(w: Writing): boolean {
  return !w.plus && !w.open && !(w.gaps & Kind.Seen & ~(Kind.Space | Kind.Dot));
}

/** What file names and addresses are made of. */
function slug(w: Writing): boolean {
  return !w.plus && !(w.gaps & Kind.Seen & ~Kind.Dash);
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
  return word ? !otherNames.has(word.toLowerCase()) : !(/[#\u2116]/.test(text[i]) || isCurrency(text[i]));
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
    return extensions.has(word);
  }
  if (near) {
    return !bare(w) || !currencies.has(word);
  }
  return apart === Kind.Dash ? !slug(w) : apart !== Kind.Dot || w.plus || !compact(w);
}
