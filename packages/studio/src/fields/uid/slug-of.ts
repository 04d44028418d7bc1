/** Letters that are no letter with a mark over it. */
const SPELLED: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ł: 'l',
  ı: 'i',
  ä: 'ae',
  ö: 'oe',
  ü: 'ue',
  å: 'aa',
}

/** What the server takes in a `uid`. */
const ALLOWED = /^[A-Za-z0-9\-_.~]*$/

/** A text as part of an address: small letters, digits and hyphens; empty where none of its letters is Latin. */
export function slugOf(text: string): string {
  return text
    .normalize('NFC')
    .toLowerCase()
    .replaceAll(/[ßæœøđðþłıäöüå]/g, (letter) => SPELLED[letter] ?? letter)
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/['’]/g, '')
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
}

/** Whether every character may stand in a `uid`. */
export function isUid(text: string): boolean {
  return ALLOWED.test(text)
}
