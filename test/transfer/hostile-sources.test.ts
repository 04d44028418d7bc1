import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect } from 'chai'
import tar from 'tar-stream'
import { buffer } from 'node:stream/consumers'
import { ApplicationError } from '../../src/base/errors.ts'
import { htmlBlocks } from '@quire/migrate/wordpress/html-blocks'
import { textOfHtml } from '@quire/migrate/wordpress/html-tree'
import { MigrationError } from '@quire/migrate/migration-error'
import { shortcodesIn, withoutShortcodes } from '@quire/migrate/wordpress/prepare-html'
import { readWxr } from '@quire/migrate/wordpress/read-wxr'
import { jsonLines, jsonOf, readArchive } from '../../src/transfer/read-archive.ts'
import { useTempFolder } from '../media/temp-folder.ts'
import { startOwnClock } from '../support/own-clock.ts'

const MIB = 1_048_576

async function failure(
  work: () => Promise<unknown>,
  kind: typeof ApplicationError | typeof MigrationError = ApplicationError,
): Promise<string> {
  try {
    await work()
  } catch (error) {
    expect(error).to.be.instanceOf(kind)
    return (error as Error).message
  }
  return 'none'
}

describe('hostile archives', () => {
  const folder = useTempFolder()

  async function read(bytes: Buffer): Promise<readonly string[]> {
    const path = join(folder(), 'archive')
    writeFileSync(path, bytes)
    const names: string[] = []
    for await (const entry of readArchive({ path, key: null })) {
      names.push(entry.path)
      if (entry.path.endsWith('.json')) await jsonOf(entry)
      else if (entry.path.endsWith('.jsonl')) for await (const _line of jsonLines(entry)) continue
      else entry.bytes.resume()
    }
    return names
  }

  async function packed(add: (pack: tar.Pack) => void): Promise<Buffer> {
    const pack = tar.pack()
    add(pack)
    pack.finalize()
    return buffer(pack)
  }

  it('are refused for a large file that must be read whole', async () => {
    const bytes = await packed((pack) =>
      pack.entry({ name: 'metadata.json' }, 'x'.repeat(17 * MIB)),
    )
    const small = gzipSync(bytes)
    expect(small.length).to.be.below(MIB)
    expect(await failure(() => read(small))).to.match(/^metadata\.json has more than \d+ bytes$/)
  })

  it('are refused if a line is too large', async () => {
    const name = 'entities/entities_00001.jsonl'
    const bytes = await packed((pack) => pack.entry({ name }, 'x'.repeat(65 * MIB)))
    expect(await failure(() => read(gzipSync(bytes)))).to.match(
      /^entities\/entities_00001\.jsonl:1: a line has more than \d+ characters$/,
    )
  })

  it('do not lead to other files by links or paths', async () => {
    const bytes = await packed((pack) => {
      pack.entry({ name: 'assets/uploads/a.txt', type: 'symlink', linkname: '/etc/passwd' })
      pack.entry({ name: 'assets/uploads/b.txt', type: 'link', linkname: '/etc/passwd' })
      pack.entry({ name: 'assets/uploads/../../c.txt' }, 'c')
    })
    expect(await read(bytes)).to.deep.equal(['assets/uploads/../../c.txt'])
  })

  it('are reported as truncated', async () => {
    const bytes = await packed((pack) => {
      pack.entry({ name: 'metadata.json' }, `{"a":"${'x'.repeat(5_000)}"}`)
    })
    const zipped = gzipSync(bytes)
    for (const [whole, at] of [
      [bytes, 1_000],
      [bytes, 600],
      [zipped, zipped.length - 12],
      [zipped, 20],
    ] as const) {
      expect(await failure(() => read(whole.subarray(0, at))), String(at)).to.not.equal('none')
    }
  })
})

describe('hostile WordPress exports', () => {
  const folder = useTempFolder()

  it('cannot declare entities', async () => {
    const path = join(folder(), 'export.xml')
    for (const entity of ['SYSTEM "file:///etc/passwd"', '"aaaaaaaaaa"']) {
      writeFileSync(
        path,
        `<!DOCTYPE r [<!ENTITY x ${entity}>]><rss><wp:wxr_version>1.2</wp:wxr_version><item><title>&x;</title></item></rss>`,
      )
      const all = async (): Promise<void> => {
        for await (const { texts } of readWxr(path)) expect([...texts.values()].join()).to.equal('')
      }
      expect(await failure(all, MigrationError)).to.match(/undefined entity/)
    }
  })

  const LENGTH = 1_000_000
  const fill = (text: string): string => text.repeat(LENGTH / text.length)
  const texts: Readonly<Record<string, string>> = {
    'captions that never end': fill('[caption]'),
    'captions with one end': `${fill('[caption')}[/caption]`,
    'galleries that never end': fill('[gallery '),
    'galleries with one end': `${fill('[gallery ')}]`,
    'ids without a number': `[gallery ${fill('ids=1')}[x]`,
    'embeds without an address': `${fill('[embed]')} x y[/embed]`,
    'embeds that never end': `[embed]${fill(' ')}`,
    'shortcodes that never end': fill('[a '),
  }
  for (const [label, text] of Object.entries(texts)) {
    it(`are handled quickly with ${label}`, () => {
      const elapsedMs = startOwnClock()
      withoutShortcodes(text)
      shortcodesIn(text)
      expect(elapsedMs()).to.be.below(3_000)
    })
  }

  const tree: Readonly<Record<string, string>> = {
    'paragraphs in bold without an end': fill('<b><p>'),
    'formatting that every paragraph opens anew': Array.from(
      { length: 50_000 },
      (_, n) => `<p><font size=${n}>x`,
    ).join(''),
    'tables in tables': fill('<table><tr><td>'),
    'lists in links': fill('<a><li>'),
    'one tag of many attributes': `<b ${Array.from({ length: 120_000 }, (_, n) => `a${n}`).join(' ')}>`,
    'tags that never end': fill('<b '),
    'entities that never end': fill('&amp'),
  }
  for (const [label, html] of Object.entries(tree)) {
    it(`are handled quickly with ${label}`, () => {
      const elapsedMs = startOwnClock()
      expect(textOfHtml(`${html}<p>after`)).to.be.a('string')
      expect(elapsedMs()).to.be.below(3_000)
    })
  }

  it('keep their text beyond the nesting limits', () => {
    const html = `${'<b><p>'.repeat(2_000)}1 < 2 &amp; &lt;i&gt;`
    expect(textOfHtml(html)).to.equal('1 < 2 & <i>')
    expect(textOfHtml('<p>1 < 2 &amp; &lt;i&gt;')).to.equal('1 < 2 & <i>')
  })

  it('may nest elements very deeply', () => {
    const deep = `${'<div>'.repeat(100_000)}in it${'</div>'.repeat(100_000)}<p>after</p>`
    expect(textOfHtml(deep)).to.equal('in itafter')
    const notes: string[] = []
    const blocks = htmlBlocks(deep, {
      image: () => null,
      file: () => null,
      tables: true,
      note: (sentence) => notes.push(sentence),
    })
    expect(JSON.stringify(blocks)).to.include('in it').and.include('after')
  })

  it('are mapped as usual without hostile content', () => {
    expect(withoutShortcodes('[embed width="1"] https://a.example/x?y=1&z [/embed]')).to.equal(
      '<p><a href="https://a.example/x?y=1&amp;z">https://a.example/x?y=1&amp;z</a></p>',
    )
    expect(withoutShortcodes('a [gallery columns="2" ids="7, 8" link="file"] b')).to.equal(
      'a <figure><img class="wp-image-7"><img class="wp-image-8"></figure> b',
    )
    expect(withoutShortcodes('[gallery columns="2"]')).to.equal('[gallery columns="2"]')
    expect(withoutShortcodes('[caption id="1"]<img src="x"/> A view[/caption] [caption]')).to.equal(
      '<figure><img src="x"/><figcaption> A view</figcaption></figure> [caption]',
    )
    expect(shortcodesIn('[a] [b x="1"] [c')).to.deep.equal(['a', 'b'])
  })
})
