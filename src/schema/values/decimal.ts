/** Keeps its original digits. Limited to 34 digits and exponents of -6143 to 6144. */
export class Decimal {
  readonly text: string

  private constructor(text: string) {
    this.text = text
  }

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

  /** Compares all digits. JavaScript numbers have only 17. */
  compareTo(other: Decimal): number {
    const [one, two] = [partsOf(this.text), partsOf(other.text)]
    if (one.sign !== two.sign) return one.sign - two.sign
    return one.sign * (one.size - two.size || compareTexts(one.digits, two.digits))
  }
}

export function significantDigits(text: string): string {
  const { sign, digits, size } = partsOf(text)
  return sign === 0 ? '0' : `${sign < 0 ? '-' : ''}${digits}E${size - digits.length}`
}

/** The digits of a whole number, without an exponent. */
export function wholeText(text: string): string {
  const { coefficient, exponent } = exactOf(text)
  return String(exponent >= 0 ? coefficient * 10n ** BigInt(exponent) : coefficient)
}

const QUOTIENT_DIGITS = 40

/** The number next to the exact quotient. */
export function divideDecimal(text: string, by: number): number {
  const { coefficient, exponent } = exactOf(text)
  const quotient = (coefficient * 10n ** BigInt(QUOTIENT_DIGITS)) / BigInt(by)
  return Number(`${quotient}e${exponent - QUOTIENT_DIGITS}`)
}

function exactOf(text: string): { readonly coefficient: bigint; readonly exponent: number } {
  const [mantissa = '0', exponent = '0'] = text.toLowerCase().split('e')
  const [whole = '0', part = ''] = mantissa.split('.')
  return { coefficient: BigInt(whole + part), exponent: Number(exponent) - part.length }
}

interface Parts {
  readonly sign: -1 | 0 | 1
  readonly digits: string
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
