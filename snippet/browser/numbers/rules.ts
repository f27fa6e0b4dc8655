// Written by snippet/browser/build from the tables of snippet/phone and snippet/weave: change them there.

/** Stands in a text for inline markup. */
export const mark = '\0';

/** Digits of the longest form. */
export const maxDigits = 19;

/** Digits that a national number without any prefix must have to be recognised in text. */
export const minLoneNational = 7;

/** Digits that touch a comma and are a figure of their own, no fraction. */
export const longGroup = 5;

/** Digits that make a telephone number of their own beside another. */
export const wholeNumber = 7;

/** Digits that another ending of a number without separators may have. */
export const maxEnding = 4;

/** Separators between two digits, in characters. */
export const maxGap = 128;

/** Separators between two digits, where spaces in a row are one. */
export const maxSigns = 4;

/** One letter more than the longest of the words. */
export const maxWord = 8;

/** They announce a figure that is no telephone number. */
export const otherNames =
  'инн кпп огрн огрнип бик окпо снилс заказ заказа счет счёт арт артикул order invoice id isbn issn ean gtin sku vat iban nip regon pesel siret siren cif nif ico ičo dič cnpj cpf';

/** They follow a price. */
export const currencies =
  'р руб рубль рубля рублей rub rur usd eur euro euros gbp chf uah грн kzt тг тенге byn pln zł czk kč kr sek nok dkk inr rs jpy cny aed brl';

/** They begin a further number that is dialled afterwards. */
export const extensions = 'x ext доб вн int poste ramal';

/** The scripts from here on are written without spaces between words. */
export const firstUnspaced = '\u0e00';

/** Characters that may stand before the first digit, for the brackets of a regular expression. */
export const leading = '(+\ufe62\uff08\uff0b';

/** Which digits of a number are written: see docs/numbers.md. */
export const enum Form {
  International,
  Trunk,
  National,
  Dialled,
  CountryTrunk,
  Spoken,
}

/** What a character is to a writing. Those that may stand between two digits are bits, so that a gap is a sum of them. */
export const enum Kind {
  Other = 0,
  Space = 1,
  Dash = 2,
  Dot = 4,
  Slash = 8,
  Open = 16,
  Close = 32,
  Plus = 64,
  Comma = 128,
  Colon = 256,
  /** More separators than a writing has between two digits. */
  Wide = 512,
  /** Markup, not counted. */
  Tag = 1024,
  /** Not seen on the page: soft hyphen, joiners, marks of direction. */
  Hidden = 2048,
  Strokes = 14,
  Brackets = 48,
  /** Never inside a writing. */
  Outside = 960,
  Seen = 1023,
  Figure = 32768,
}

export const kinds: [Kind, RegExp][] = [
  [Kind.Tag, /\0/],
  [Kind.Space, /[\x09\x0a\x0c\x0d \xa0\u1680\u2000-\u200a\u202f\u205f\u3000]/],
  [Kind.Dash, /[\-\u2010-\u2015\u2043\u2212\u30fc\ufe58\ufe63\uff0d]/],
  [Kind.Dot, /[.\xb7\u2022\u2024\u2219\u22c5\uff0e]/],
  [Kind.Slash, /[/\u2044\u2215\uff0f]/],
  [Kind.Open, /[(\uff08]/],
  [Kind.Close, /[)\uff09]/],
  [Kind.Plus, /[+\ufe62\uff0b]/],
  [Kind.Comma, /[,\uff0c]/],
  [Kind.Colon, /[:\uff1a]/],
  [Kind.Hidden, /[\xad\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\u20e3\ufe0e\ufe0f\ufeff]/],
];

/** The zeros of the scripts whose digits are read; the nine others follow each. */
export const zeros = [0x30, 0x660, 0x6f0, 0x966, 0x9e6, 0xa66, 0xae6, 0xe50, 0xed0, 0x1040, 0x17e0, 0xff10];

/** Signs of prices. */
export const currencySign = /[\p{Sc}%\u5143\u5186\uc6d0]/u;

/** Elements at whose tags a line ends. */
export const breaking = /* @__PURE__ */ new Set(
  /* @__PURE__ */ 'address annotation-xml area article aside audio base blockquote body br button canvas caption center col colgroup datalist dd desc details dialog dir div dl dt embed fieldset figcaption figure footer foreignobject form frame frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html iframe img input legend li link main map marquee math menu meta meter nav noembed noframes noscript object ol optgroup option p param picture plaintext pre progress script search section select slot source style summary svg table tbody td template text textarea tfoot th thead title tr track ul video xmp'.split(' '),
);

/** Links that call or write to a number: the first group leads to it, the second is it. */
export const links =
  /^(\s*(?:tel:|callto:|sms:|smsto:|(?:https?:)?\/\/(?:wa\.me\/|api\.whatsapp\.com\/send\?phone=|api\.whatsapp\.com\/send\/\?phone=|web\.whatsapp\.com\/send\?phone=|t\.me\/\+|signal\.me\/#p\/\+)|whatsapp:\/\/send\?phone=|viber:\/\/chat\?number=|viber:\/\/chat\/\?number=|viber:\/\/add\?number=|viber:\/\/contact\?number=|tg:\/\/resolve\?phone=))([^?&]*)/i;

/** What leads to a number that a link calls. */
export const calls = /^\s*(?:tel:|callto:)$/i;

/** Elements that have such links, and few others. */
export const linked =
  '[href*="tel:" i],[href*="allto:" i],[href*="sms:" i],[href*="smsto:" i],[href*="wa.me/" i],[href*="phone=" i],[href*="umber=" i],[href*="t.me/+" i],[href*="e/#p/+" i]';
