/**
 * A decimal number with the digits it was written with: what a `decimal` attribute is until the
 * database makes it a Decimal128, whose 34 digits and exponent range (-6143 to 6144) bound it.
 */
export class Decimal {
  readonly text: string

  private constructor(text: string) {
    this.text = text
  }

  /** Null when the text is no decimal number, or does not fit Decimal128. */
  static parse(text: string): Decimal | null {
    const match = /^[+-]?(?:(\d+)(?:\.(\d*))?|\.(\d+))(?:[eE]([+-]?\d{1,5}))?$/.exec(text.trim())
    if (match === null) return null
    const [, whole = '', part = '', bare = '', exponent = '0'] = match
    const digits = `${whole}${part}${bare}`.replace(/^0+/, '')
    const scale = Number(exponent) - part.length - bare.length
    const fits = digits.length <= 34 && scale >= -6176 && digits.length + scale <= 6145
    return fits ? new Decimal(text.trim()) : null
  }

  toString(): string {
    return this.text
  }

  /** Below 0, 0 or above 0, to the last digit: numbers of JavaScript hold no more than 17 of them. */
  compareTo(other: Decimal): number {
    const [one, two] = [partsOf(this.text), partsOf(other.text)]
    if (one.sign !== two.sign) return one.sign - two.sign
    return one.sign * (one.size - two.size || compareTexts(one.digits, two.digits))
  }
}

/** All digits of a decimal as text, without the zeros that change nothing: `-1.50` is `-15E-1`. */
export function significantDigits(text: string): string {
  const { sign, digits, size } = partsOf(text)
  return sign === 0 ? '0' : `${sign < 0 ? '-' : ''}${digits}E${size - digits.length}`
}

interface Parts {
  readonly sign: -1 | 0 | 1
  /** Without zeros around them: those of 0 are none. */
  readonly digits: string
  /** How many places before the point the first digit stands. */
  readonly size: number
}

function partsOf(text: string): Parts {
  const [mantissa = '', exponent = '0'] = text.toLowerCase().split('e')
  const [whole = '', part = ''] = mantissa.replace(/^[+-]/, '').split('.')
  const all = whole + part
  const significant = all.replace(/^0+/, '')
  const digits = significant.replace(/0+$/, '')
  if (digits === '') return { sign: 0, digits, size: 0 }
  const size = whole.length + Number(exponent) - (all.length - significant.length)
  return { sign: mantissa.startsWith('-') ? -1 : 1, digits, size }
}

function compareTexts(one: string, other: string): number {
  if (one === other) return 0
  return one < other ? -1 : 1
}
