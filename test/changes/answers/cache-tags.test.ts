import { expect } from 'chai'
import { cacheTagsOf } from '../../../src/changes/answers/cache-tags.ts'

const A = 'a'.repeat(24)
const B = 'b'.repeat(24)
const shown = [{ id: 1, documentId: A, tags: [{ documentId: B }, { documentId: A }], ids: [B] }]

describe('tags for a CDN', () => {
  it('contain the types and each returned document once', () => {
    expect(cacheTagsOf('xkey', ['api::a.a', 'api::b.b'], shown)).to.equal(
      `api::a.a api::b.b ${A} ${B}`,
    )
    expect(cacheTagsOf('cache-tag', ['api::a.a'], shown)).to.equal(`api::a.a,${A},${B}`)
  })

  it('contain only the types above 16 KB', () => {
    const many = Array.from({ length: 700 }, (_, index) => ({
      documentId: `d${String(index).padStart(23, '0')}`,
    }))
    expect(cacheTagsOf('surrogate-key', ['api::a.a'], many)).to.equal('api::a.a')
    const fits = cacheTagsOf('surrogate-key', ['api::a.a'], many.slice(0, 600))
    expect(fits.length).to.be.above(15_000).and.below(16_384)
  })

  it('exclude values that would break a header', () => {
    const hostile = [`${A}\r\nX: y`, `${A} `, A.toUpperCase(), { documentId: `x,${A}` }]
    expect(cacheTagsOf('cache-tag', ['api::a.a'], hostile)).to.equal('api::a.a')
  })
})
