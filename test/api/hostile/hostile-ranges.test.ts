import { expect } from 'chai'
import sharp from 'sharp'
import { type Answer, serve, type TestServer } from '../../support/server.ts'
import { MEDIA_TYPES, MULTIPART, multipart } from '../../support/uploads.ts'
import { readTreeCpuMs } from '../../support/tree-cpu.ts'

const TEXT = '0123456789'
/** Upper bound of the CPU time of one picture, in this process, the engine and the image processes. */
const MAX_CPU_MS = 20_000
const HUGE = '9'.repeat(400)

describe('hostile requests for files and pictures', () => {
  let server: TestServer
  let text: string
  let picture: string

  before(async () => {
    server = await serve('hostile_ranges', {
      contentTypes: MEDIA_TYPES,
      environment: { RATE_LIMIT: 'off' },
    })
    const image = { create: { width: 40, height: 40, channels: 3, background: 'red' } } as const
    const bytes = await sharp(image).png().toBuffer()
    const files = [
      { name: 'a.txt', content: TEXT },
      { name: 'a.png', content: bytes, type: 'image/png' },
    ]
    const { body } = await server.send('POST', '/api/upload', {
      headers: MULTIPART,
      body: multipart({ files }),
    })
    ;[text, picture] = body.map(({ url }: { readonly url: string }) => url)
  })
  after(() => server.close())

  const get = (target: string, headers: Readonly<Record<string, string>> = {}): Promise<Answer> =>
    server.get(target, { token: null, headers })

  const RANGES: readonly string[] = [
    'bytes=',
    'bytes=-',
    'bytes=--1',
    'bytes=0-0,0-0',
    `bytes=${'0-,'.repeat(1_300)}0-`,
    `bytes=${Array.from({ length: 1_000 }, (_, n) => `${n}-${n}`).join(',')}`,
    `bytes=0-${HUGE}`,
    `bytes=${HUGE}-`,
    `bytes=-${HUGE}`,
    `bytes=${HUGE}-${HUGE}`,
    'bytes=9007199254740993-9007199254740994',
    'bytes=18446744073709551615-',
    'bytes=-18446744073709551616',
    'bytes=0x1-0x2',
    'bytes=1e0-1e1',
    'bytes=+1-+2',
    'bytes=1.5-2.5',
    'bytes= 1-2',
    'bytes=1 - 2',
    'bytes=NaN-NaN',
    'bytes=Infinity-',
    'bytes=2-1',
    'bytes=-0',
    'octets=0-1',
    'bytes 0-1/10',
    '__proto__=0-1',
  ]
  it('responds to a range with that range, the whole file or a 416', async () => {
    for (const range of RANGES) {
      for (const target of [text, picture, `${picture}?width=16`]) {
        const { status, headers, text: body } = await get(target, { range })
        const label = `${range.slice(0, 60)} of ${target}: ${status}`
        expect(status, label).to.be.oneOf([200, 206, 416])
        if (target !== text) continue
        expect(TEXT.includes(body), label).to.equal(true)
        if (status !== 416) expect(headers['content-length'], label).to.equal(String(body.length))
        if (status === 200) expect(body, label).to.equal(TEXT)
        if (status === 206) expect(headers['content-range'], label).to.match(/^bytes \d-\d\/10$/)
      }
    }
  })

  it('ignores a range with an unknown condition', async () => {
    for (const condition of [
      '*',
      '""',
      'W/"x"',
      HUGE,
      'Thu, 01 Jan 1970 00:00:00 GMT',
      '__proto__',
    ]) {
      const answer = await get(text, { range: 'bytes=1-2', 'if-range': condition })
      expect([answer.status, answer.text], condition).to.deep.equal([200, TEXT])
    }
    const tags = `"x",`.repeat(3_000)
    expect((await get(text, { 'if-none-match': tags })).status).to.be.oneOf([200, 431])
    expect((await get(text, { 'if-modified-since': HUGE })).status).to.equal(200)
  })

  const SIDES = [
    '0',
    '-1',
    '1',
    '65536',
    '99999999999999999999',
    '1e2',
    '0x40',
    '64.0',
    ' 64',
    '64 ',
    '',
    'NaN',
    '٦٤',
  ]
  const PICTURES: readonly string[] = [
    ...SIDES.flatMap((side) => [`width=${side}`, `height=${side}`]),
    'width=64&width=64',
    'width[]=64',
    'width[$gt]=1',
    'fit=../../x',
    'fit=__proto__',
    'fit=constructor',
    'format=svg',
    'format=../png',
    'format=gif',
    'format=pdf',
    'quality=0',
    'quality=101',
    'quality=1e1',
    'quality=-75',
    'quality[0]=75',
  ]
  it('refuses pictures with an unknown size, format or quality', async () => {
    for (const query of PICTURES) {
      const answer = await get(encodeURI(`${picture}?${query}`))
      expect([answer.status, answer.body.error.name], query).to.deep.equal([400, 'ValidationError'])
    }
    for (const harmless of ['v=../../x', 'signature=x', '__proto__[width]=9', 'constructor=1']) {
      expect((await get(`${picture}?${harmless}`)).status, harmless).to.equal(200)
    }
  })

  it('serves no other file through an unusual name', async () => {
    const names = [
      '..%2f..%2fpackage.json',
      '%2e%2e/package.json',
      '..%5c..%5cpackage.json',
      '%00',
      `${text.split('/').at(-1) ?? ''}%00.png`,
      `${picture.split('/').at(-1) ?? ''}/../${text.split('/').at(-1) ?? ''}`,
      'a'.repeat(5_000),
      '%',
      '%c0%ae%c0%ae/x',
      '.',
      '..',
      'con',
      'constructor',
      '__proto__',
    ]
    for (const name of names) {
      for (const query of ['', '?width=64']) {
        const { status } = await server.send('GET', `/uploads/${name}${query}`, { token: null })
        expect(status, name.slice(0, 60)).to.be.oneOf([400, 403, 404, 414])
      }
    }
  })

  const BOMBS: Readonly<Record<string, () => Buffer>> = {
    'a PNG header with 2^31 pixels per side': () => header(0x7fffffff, 0x7fffffff),
    'a PNG header without pixels': () => header(0, 0),
    'a PNG header with a line of 60,000 pixels': () => header(60_000, 1),
    'a GIF with 65,535 pixels per side': () =>
      Buffer.from('GIF89a\xff\xff\xff\xff\x80\0\0\0\0\0\xff\xff\xff;', 'latin1'),
    'an SVG that loads a file': () =>
      Buffer.from(
        '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"><image xlink:href="file:///etc/passwd" width="9" height="9"/></svg>',
      ),
    'an SVG with nested entities': () =>
      Buffer.from(
        `<!DOCTYPE s [<!ENTITY a "${'x'.repeat(1_000)}"><!ENTITY b "${'&a;'.repeat(1_000)}"><!ENTITY c "${'&b;'.repeat(1_000)}">]><svg xmlns="http://www.w3.org/2000/svg"><text>&c;</text></svg>`,
      ),
    'an SVG with a million pixels per side': () =>
      Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="1000000" height="1000000"/>'),
  }
  for (const [label, bytesOf] of Object.entries(BOMBS)) {
    it(`survives ${label}`, async () => {
      const extension = label.includes('SVG') ? 'svg' : label.includes('GIF') ? 'gif' : 'png'
      const type = extension === 'svg' ? 'image/svg+xml' : `image/${extension}`
      const files = [{ name: `bomb.${extension}`, content: bytesOf(), type }]
      const before = readTreeCpuMs()
      const sent = await server.send('POST', '/api/upload', {
        headers: MULTIPART,
        body: multipart({ files }),
      })
      expect(sent.status, sent.text).to.be.oneOf([201, 400, 413])
      const [{ url } = { url: null }] = sent.status === 201 ? sent.body : []
      if (url !== null) {
        const shown = await get(`${url}?width=64&format=png`)
        expect(shown.status, shown.text.slice(0, 200)).to.be.oneOf([200, 400, 422, 503])
        expect(shown.text).to.not.include('root:')
      }
      expect(readTreeCpuMs() - before, 'ms of CPU').to.be.below(MAX_CPU_MS)
      expect((await server.get('/_health')).status).to.equal(204)
    })
  }
})

/** The start of a PNG: its signature and the claimed dimensions. */
function header(width: number, height: number): Buffer {
  const chunk = Buffer.alloc(25)
  chunk.writeUInt32BE(13, 0)
  chunk.write('IHDR', 4)
  chunk.writeUInt32BE(width, 8)
  chunk.writeUInt32BE(height, 12)
  chunk.set([8, 2, 0, 0, 0], 16)
  return Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), chunk])
}
