import { expect } from 'chai'
import { cleanName, newHash } from '../../src/media/file-name.ts'
import { isStorageName } from '../../src/media/storage/storage.ts'

describe('cleanName', () => {
  const rows: readonly (readonly [string, string])[] = [
    ['a.txt', 'a.txt'],
    ['../../etc/passwd', 'passwd'],
    ['C:\\files\\a.txt', 'a.txt'],
    ['日本語 Straße.png', '日本語 Straße.png'],
    ['a\0b\r\n.txt', 'ab.txt'],
    ['photo\u202Egpj.exe', 'photogpj.exe'],
    ['\u2066a\u2069.\u202Dtxt\u202C', 'a.txt'],
    ['\u202E', 'file'],
    ['שלום\u200F.png', 'שלום\u200F.png'],
    ['..', 'file'],
    ['', 'file'],
    ['folder/', 'file'],
  ]
  for (const [sent, name] of rows) {
    it(`turns ${JSON.stringify(sent)} into ${JSON.stringify(name)}`, () => {
      expect(cleanName(sent)).to.equal(name)
    })
  }

  it('truncates long names', () => {
    expect(cleanName('x'.repeat(1_000))).to.have.length(255)
  })

  it('truncates a name before its extension', () => {
    expect(cleanName(`${'x'.repeat(300)}.bin`)).to.equal(`${'x'.repeat(251)}.bin`)
    expect(cleanName(`x.${'y'.repeat(300)}`)).to.equal(`x.${'y'.repeat(253)}`)
  })

  it('never splits a surrogate pair', () => {
    expect(cleanName(`${'x'.repeat(254)}😀`)).to.equal('x'.repeat(254))
    expect(cleanName(`${'x'.repeat(250)}😀.txt`)).to.equal(`${'x'.repeat(250)}.txt`)
  })
})

describe('newHash', () => {
  const rows: readonly (readonly [string, string, RegExp])[] = [
    ['My photo (1).png', '.png', /^My_photo_1_[0-9a-f]{10}$/],
    ['Élan été.txt', '.txt', /^Elan_ete_[0-9a-f]{10}$/],
    ['日本語.png', '.png', /^file_[0-9a-f]{10}$/],
    ['x'.repeat(255), '', /^x{100}_[0-9a-f]{10}$/],
  ]
  for (const [name, ext, hash] of rows) {
    it(`creates a slug of ${JSON.stringify(name.slice(0, 20))}`, () => {
      const made = newHash(name, ext)
      expect(made).to.match(hash)
      expect(isStorageName(`thumbnail_${made}${ext}`)).to.equal(true)
    })
  }

  it('differs on every call', () => {
    expect(newHash('a.txt', '.txt')).to.not.equal(newHash('a.txt', '.txt'))
  })
})
