import { expect } from 'chai'
import { assert, property, string } from 'fast-check'
import { toUid } from '../../../src/content/payload/fill-uids.ts'

describe('toUid', () => {
  it('converts text to a uid', () => {
    const rows: readonly (readonly [string, string])[] = [
      ['Hello, World!', 'hello-world'],
      ['  Größe & Gewicht  ', 'grosse-gewicht'],
      ['Ærø, Łódź, Đà Nẵng', 'aero-lodz-da-nang'],
      ['ﬁne Ⅳ', 'fine-iv'],
      ['日本', ''],
      ['---', ''],
    ]
    for (const [text, uid] of rows) expect(toUid(text), text).to.equal(uid)
  })

  it('returns a valid and stable uid for any text', () => {
    assert(
      property(string({ unit: 'grapheme' }), (text) => {
        const uid = toUid(text)
        expect(uid).to.match(/^(?:[a-z0-9]+(?:-[a-z0-9]+)*)?$/)
        expect(toUid(uid)).to.equal(uid)
      }),
    )
  })
})
