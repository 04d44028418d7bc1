import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect } from 'chai'
import { ConfigError } from '../../../src/base/errors.ts'
import { loadConfiguration } from '../../../src/extensions/configuration/load-configuration.ts'
import { MAX_STUDIO_IMAGE_BYTES } from '../../../src/extensions/configuration/read-studio-images.ts'

const SVG = '<svg xmlns="http://www.w3.org/2000/svg"/>'
const PNG = Buffer.from('89504e470d0a1a0a', 'hex')

describe('the branding in a configuration file', () => {
  let folder: string
  beforeEach(() => {
    folder = path.join(mkdtempSync(path.join(tmpdir(), 'quire-branding-')), 'project')
    mkdirSync(path.join(folder, 'brand'), { recursive: true })
    writeFileSync(path.join(folder, 'brand/logo.svg'), SVG)
    writeFileSync(path.join(folder, 'brand/icon.png'), PNG)
    writeFileSync(path.join(folder, '../secret.svg'), SVG)
  })
  afterEach(() => rmSync(path.dirname(folder), { recursive: true }))

  const load = (text: string) => {
    writeFileSync(path.join(folder, 'quire.config.ts'), text)
    return loadConfiguration(folder, { compile: true })
  }
  const faultsOf = async (studio: object): Promise<readonly string[]> => {
    try {
      await load(`export default { studio: ${JSON.stringify(studio)} }`)
    } catch (error) {
      if (error instanceof ConfigError) return error.faults
      throw error
    }
    return []
  }

  it('is loaded with its images', async () => {
    const { studio } = await load(
      `export default { studio: { title: 'Harbour', logo: 'brand/logo.svg', favicon: './brand/icon.png' } }`,
    )
    expect(studio).to.deep.equal({
      title: 'Harbour',
      logo: { type: 'image/svg+xml', bytes: Buffer.from(SVG) },
      favicon: { type: 'image/png', bytes: PNG },
      cssVariables: {},
      links: [],
    })
    expect((await load('export default {}')).studio).to.equal(null)
  })

  it('reports every fault with file and line', async () => {
    const text = `export default {
  studio: {
    titel: 'Harbour',
    logo: 'brand/logo.gif',
    cssVariables: {
      '--accent': '</style>',
    },
    links: [
      { label: 'Handbook', url: 'https://example.org' },
      {
        label: 'Trap',
        url: 'javascript:alert(1)',
      },
    ],
  },
}
`
    const error: unknown = await load(text).catch((thrown: unknown) => thrown)
    expect(error instanceof ConfigError && error.faults).to.deep.equal([
      'quire.config.ts:3: studio.titel: is not a member of the configuration; did you mean title?',
      'quire.config.ts:6: studio.cssVariables.--accent: must be a colour, such as #2f4fd0, rgb(47 79 208) or light-dark(#2f4fd0, #8ea2ff)',
      'quire.config.ts:12: studio.links[1].url: must be an https URL, or a path on this server such as /api/docs',
      'quire.config.ts:4: studio.logo: must be a file of type svg, png, webp or ico',
    ])
  })

  it('is suggested for a similar name', async () => {
    const error: unknown = await load('export default { studoi: {} }').catch(
      (thrown: unknown) => thrown,
    )
    expect(error instanceof ConfigError && error.faults).to.deep.equal([
      'quire.config.ts:1: studoi: is not a member of the configuration; did you mean studio?',
    ])
  })

  it('accepts only images inside the folder of the project', async () => {
    symlinkSync(path.join(folder, '../secret.svg'), path.join(folder, 'brand/link.svg'))
    const secret = path.join(folder, '../secret.svg')
    for (const logo of ['../secret.svg', 'brand/../../secret.svg', secret, 'brand/link.svg']) {
      expect(await faultsOf({ logo }), logo).to.deep.equal([
        'quire.config.ts:1: studio.logo: must be a path inside the folder of the project, relative to it',
      ])
    }
  })

  it('refuses images that are missing, too large or of another type', async () => {
    writeFileSync(path.join(folder, 'large.png'), Buffer.alloc(MAX_STUDIO_IMAGE_BYTES + 1))
    writeFileSync(path.join(folder, 'page.png'), '<html>')
    mkdirSync(path.join(folder, 'folder.svg'))
    for (const [favicon, fault] of [
      ['brand/none.svg', 'brand/none.svg does not exist'],
      ['large.png', 'must be a file of at most 256 kB'],
      ['folder.svg', 'must be a file of at most 256 kB'],
      ['page.png', 'page.png does not contain an image of type image/png'],
    ] as const) {
      expect(await faultsOf({ favicon })).to.deep.equal([
        `quire.config.ts:1: studio.favicon: ${fault}`,
      ])
    }
  })
})
