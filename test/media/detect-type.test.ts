import { expect } from 'chai'
import { detectType, extensionOf } from '../../src/media/detect-type.ts'

const PNG = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')
const PAGE = Buffer.from('\ufeff\n<!doctype html><script>alert(1)</script>')
const DRAWING = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')
const ZIP = Buffer.from('PK\x03\x04', 'latin1')
const TEXT = Buffer.from('hello')
const MATROSKA = Buffer.from('\x1aE\xdf\xa3', 'latin1')
const DOCX = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'

const ftyp = (brand: string): Buffer => Buffer.from(`\0\0\0\x20ftyp${brand}`, 'latin1')

describe('detectType', () => {
  const rows: readonly (readonly [string, Buffer, string, string, string, string])[] = [
    ['the declared type of text', TEXT, 'text/plain', 'a.txt', 'text/plain', '.txt'],
    ['the type of an extension', TEXT, 'application/octet-stream', 'a.CSV', 'text/csv', '.CSV'],
    ['an extension for a name without one', TEXT, 'text/plain', 'noext', 'text/plain', '.txt'],
    [
      'the last of several extensions',
      TEXT,
      'application/gzip',
      'a.tar.gz',
      'application/gzip',
      '.gz',
    ],
    ['the signature rather than the declaration', PNG, 'text/plain', 'a.png', 'image/png', '.png'],
    ['the signature rather than the name', PNG, 'text/html', 'evil.html', 'image/png', '.png'],
    ['an unknown extension', PNG, 'image/png', 'a.picture', 'image/png', '.picture'],
    ['a document in a zip', ZIP, DOCX, 'a.docx', DOCX, '.docx'],
    ['a zip declared as an image', ZIP, 'image/png', 'a.png', 'application/zip', '.zip'],
    ['a zip declared as a page', ZIP, 'text/html', 'a.html', 'application/zip', '.zip'],
    ['avif by its brand', ftyp('avif'), 'image/png', 'a.png', 'image/avif', '.avif'],
    ['mp4', ftyp('isom'), 'video/mp4', 'a.mp4', 'video/mp4', '.mp4'],
    ['audio in mp4', ftyp('isom'), 'audio/mp4', 'a.m4a', 'audio/mp4', '.m4a'],
    ['webm', MATROSKA, 'video/webm', 'a.webm', 'video/webm', '.webm'],
    ['a broken image as declared', TEXT, 'image/png', 'a.png', 'image/png', '.png'],
    ['a page declared as an image', PAGE, 'image/png', 'a.png', 'application/octet-stream', '.png'],
    ['an SVG drawing', DRAWING, 'image/svg+xml', 'a.svg', 'image/svg+xml', '.svg'],
    ['an invalid type', TEXT, 'nonsense', 'a', 'application/octet-stream', ''],
    ['a header that is not a type', TEXT, 'a/b\r\nX: y', 'a.txt', 'text/plain', '.txt'],
  ]
  for (const [label, head, declared, name, mime, ext] of rows) {
    it(`detects ${label}`, () => {
      expect(detectType(head, declared, name)).to.deep.equal({ mime, ext })
    })
  }

  it('accepts only letters and digits in an extension', () => {
    expect(extensionOf('a.t%20t')).to.equal('')
    expect(extensionOf('a.')).to.equal('')
    expect(extensionOf('a.äöü')).to.equal('')
    expect(extensionOf('.env')).to.equal('.env')
  })
})
