import { expect } from 'chai'
import { shownFileName } from '../src/api/file-entry.ts'

describe('the shown name of a file', () => {
  it('has no controls of the direction, which disguise its extension', () => {
    expect(shownFileName({ name: 'photo\u202Egpj.exe' })).to.equal('photogpj.exe')
    expect(shownFileName({ name: '\u2066a\u2069.\u202Dtxt\u202C' })).to.equal('a.txt')
    expect(shownFileName({ name: 'Straße \u200F日本.png' })).to.equal('Straße \u200F日本.png')
  })
})
