import { expect } from 'chai'
import { documentIdFor, isDocumentId } from '../../../src/mongo/versions/document-id.ts'

describe('documentIdFor', () => {
  it('is always the same for the same key', () => {
    expect(documentIdFor('country:FRA')).to.equal('iexwwtf7cznnfwfwgaxt6pca')
    expect(documentIdFor('country:FRA')).to.equal(documentIdFor('country:FRA'))
  })

  it('creates a valid and unique documentId for each key', () => {
    const made = Array.from({ length: 2_000 }, (_, index) => documentIdFor(`city:${index}`))
    expect(made.every(isDocumentId)).to.equal(true)
    expect(new Set(made)).to.have.lengthOf(2_000)
  })
})
