/** The constants of SHA-256 (FIPS 180-4): the first 32 bits behind the point of the roots of the first primes. */
const rounds = new Int32Array(64);
const initial = new Int32Array(8);

for (let candidate = 2, found = 0; found < 64; candidate++) {
  let divisor = 2;
  while (candidate % divisor) {
    divisor++;
  }
  if (divisor === candidate) {
    if (found < 8) {
      initial[found] = (candidate ** 0.5) * 2 ** 32;
    }
    rounds[found++] = (candidate ** (1 / 3)) * 2 ** 32;
  }
}

const words = new Int32Array(64);
const state = new Int32Array(8);

function turned(word: number, bits: number): number {
  return (word >>> bits) | (word << (32 - bits));
}

/** Makes the sum of one block, into the state. */
function sumUp(): void {
  for (let i = 16; i < 64; i++) {
    const a = words[i - 15];
    const b = words[i - 2];
    words[i] = words[i - 16] + words[i - 7] + (turned(a, 7) ^ turned(a, 18) ^ (a >>> 3)) + (turned(b, 17) ^ turned(b, 19) ^ (b >>> 10));
  }
  let a = initial[0];
  let b = initial[1];
  let c = initial[2];
  let d = initial[3];
  let e = initial[4];
  let f = initial[5];
  let g = initial[6];
  let h = initial[7];
  for (let i = 0; i < 64; i++) {
    const one = (h + (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) + ((e & f) ^ (~e & g)) + rounds[i] + words[i]) | 0;
    const two = ((turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + one) | 0;
    d = c;
    c = b;
    b = a;
    a = (one + two) | 0;
  }
  state[0] = initial[0] + a;
  state[1] = initial[1] + b;
  state[2] = initial[2] + c;
  state[3] = initial[3] + d;
  state[4] = initial[4] + e;
  state[5] = initial[5] + f;
  state[6] = initial[6] + g;
  state[7] = initial[7] + h;
}

/** Tells whether a number, written behind the salt in decimal, has the SHA-256 `sum`, in hexadecimal. All of that is 55 characters of ASCII at most. */
export function matcher(salt: string, sum: string): (n: number) => boolean {
  const wanted = new Int32Array(8);
  for (let i = 0; i < 8; i++) {
    wanted[i] = parseInt(sum.slice(8 * i, 8 * i + 8), 16);
  }
  return (n) => {
    const text = salt + n;
    for (let i = 0; i < 16; i++) {
      words[i] = 0;
    }
    for (let i = 0; i <= text.length; i++) {
      words[i >> 2] |= (i < text.length ? text.charCodeAt(i) : 0x80) << (24 - 8 * (i & 3));
    }
    words[15] = 8 * text.length;
    sumUp();
    for (let i = 0; i < 8; i++) {
      if (state[i] !== wanted[i]) {
        return false;
      }
    }
    return true;
  };
}
