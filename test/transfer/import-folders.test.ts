import { expect } from 'chai'
import { ServiceUnavailableError, ValidationError } from '../../src/base/errors.ts'
import { FOLDER, importFolders } from '../../src/transfer/import-folders.ts'

const ROW = { type: FOLDER, id: 1, data: { documentId: 'a', name: 'Pictures' } }

describe('importFolders', () => {
  /** Returns the reported sentences. */
  const bring = async (refusal: Error): Promise<readonly string[]> => {
    const sentences: string[] = []
    const parts = {
      folders: { add: () => Promise.reject(refusal) },
      index: { linked: () => [] },
      leaveBehind: (sentence: string) => sentences.push(sentence),
    }
    const ids = await importFolders(parts, [ROW])
    expect(ids.size).to.equal(0)
    return sentences
  }

  it('reports folders that are refused', async () => {
    const sentences = await bring(new ValidationError('too many folders'))
    expect(sentences).to.deep.equal(['folders of files: 1: too many folders'])
  })

  it('fails while the database is unreachable, because all files would lose their folders', async () => {
    const refusal = new ServiceUnavailableError('The database cannot be reached')
    const error: unknown = await bring(refusal).catch((reason: unknown) => reason)
    expect(error).to.equal(refusal)
  })
})
