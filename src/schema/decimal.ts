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
}
