import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect } from 'chai'
import { runCli } from '../../src/cli/run-cli.ts'
import type { Config } from '../../src/base/config/config.ts'
import { importLayouts } from '../../src/transfer/import-layouts.ts'
import { openFaultyFiles } from '../faults/faulty-files.ts'
import { UNOPENED } from '../cli/unopened.ts'
import { makeArchive } from './make-archive.ts'

const TALK = {
  kind: 'collectionType',
  collectionName: 'talks',
  info: { singularName: 'talk', pluralName: 'talks', displayName: 'Talk' },
  attributes: {
    summary: { type: 'text' },
    title: { type: 'string', studio: { label: 'Title of the talk' } },
    room: {
      type: 'string',
      conditions: { visible: { '==': [{ var: 'kind' }, 'on-site'] } },
    },
    kind: { type: 'enumeration', enum: ['on-site', 'online'] },
    seats: { type: 'integer', conditions: { visible: { '<': [{ var: 'kind' }, 'online'] } } },
    link: { type: 'string', conditions: { visible: { '!=': [{ var: 'kind' }, 'on-site'] } } },
  },
}
const FILE = 'src/api/talk/content-types/talk/schema.json'

const UID = 'api::talk.talk'
const FIELDS = {
  id: { edit: {}, list: { label: 'id' } },
  title: form({ label: 'Headline', description: 'At most eight words' }),
  summary: form({ label: 'summary', description: '', placeholder: 'One paragraph' }),
  kind: form({ label: 'Form', visible: false }),
  room: form({ label: 'Room' }),
  seats: form({ label: 'x'.repeat(501), editable: false }),
}
const ROWS = [
  [{ name: 'title', size: 12 }],
  [
    { name: 'kind', size: 4 },
    { name: 'room', size: 4 },
    { name: 'seats', size: 4 },
  ],
  [{ name: 'link', size: 6 }],
  [{ name: 'removed', size: 6 }],
]

function form(edit: object) {
  return { edit, list: { label: 'in lists' } }
}

function configurationOf(uid: string, kind = 'content_types') {
  const value = { uid, layouts: { list: ['id'], edit: ROWS }, metadatas: FIELDS }
  const key = `plugin_content_manager_configuration_${kind}::${uid}`
  return { type: 'core-store', value: { key, value, type: 'object' } }
}

describe('importLayouts', () => {
  let folder: string
  let archive: string

  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'quire-layouts-'))
    archive = path.join(folder, 'export.tar.gz')
    mkdirSync(path.join(folder, path.dirname(FILE)), { recursive: true })
    writeFileSync(path.join(folder, FILE), JSON.stringify(TALK))
  })

  afterEach(() => {
    rmSync(folder, { recursive: true })
  })

  const importThem = (options: { readonly dryRun?: boolean } = {}) =>
    importLayouts({
      file: { path: archive, key: null },
      contentTypesDir: folder,
      dryRun: false,
      ...options,
    })

  const readAttributes = () => {
    const text = readFileSync(path.join(folder, FILE), 'utf8')
    const { attributes } = JSON.parse(text) as {
      readonly attributes: Readonly<Record<string, { readonly studio?: object }>>
    }
    return attributes
  }

  it('writes labels, help texts, widths, conditions and the order into the declaration', async () => {
    await makeArchive(archive, { configuration: [configurationOf(UID)] })
    const { changed } = await importThem()
    expect(changed).to.deep.equal([UID])
    const attributes = readAttributes()
    expect(Object.keys(attributes)).to.deep.equal([
      'title',
      'kind',
      'room',
      'seats',
      'link',
      'summary',
    ])
    const studios = Object.entries(attributes).map(([name, { studio }]) => [name, studio])
    expect(Object.fromEntries(studios)).to.deep.equal({
      title: { label: 'Title of the talk', description: 'At most eight words' },
      kind: { label: 'Form', width: 'half' },
      room: { label: 'Room', visibleWhen: { kind: 'on-site' }, width: 'half' },
      seats: undefined,
      link: { visibleWhen: { kind: { $ne: 'on-site' } } },
      summary: { placeholder: 'One paragraph' },
    })
  })

  it('names the parts that the Studio does not have', async () => {
    const configuration = [
      configurationOf(UID),
      configurationOf('api::gone.gone'),
      configurationOf('shared.gone', 'components'),
      configurationOf('admin::role'),
    ]
    await makeArchive(archive, { configuration })
    const { notTaken } = await importThem()
    expect(notTaken).to.deep.equal([
      `${UID}: kind: it was hidden, and is shown here`,
      `${UID}: seats: the label is longer than 500 characters`,
      `${UID}: seats: it was read only, and can be edited here`,
      `${UID}: seats: its condition is not understood`,
      'api::gone.gone: it is not declared here',
      'shared.gone: it is not declared here',
    ])
  })

  it('changes nothing the second time', async () => {
    await makeArchive(archive, { configuration: [configurationOf(UID)] })
    await importThem()
    const before = readFileSync(path.join(folder, FILE), 'utf8')
    expect((await importThem()).changed).to.deep.equal([])
    expect(readFileSync(path.join(folder, FILE), 'utf8')).to.equal(before)
  })

  it('writes nothing in a dry run', async () => {
    await makeArchive(archive, { configuration: [configurationOf(UID)] })
    expect((await importThem({ dryRun: true })).changed).to.deep.equal([UID])
    expect(readAttributes()).to.deep.equal(TALK.attributes)
  })

  it('leaves out members of a layout that have another form', async () => {
    const value = { layouts: { edit: [null, [{ name: 1 }, 'title', { name: 'title' }]] } }
    const key = `plugin_content_manager_configuration_content_types::${UID}`
    await makeArchive(archive, { configuration: [{ type: 'core-store', value: { key, value } }] })
    const { changed } = await importThem()
    expect(changed).to.deep.equal([UID])
    expect(Object.keys(readAttributes())).to.deep.equal(Object.keys(TALK.attributes))
  })

  it('leaves out texts with invisible characters', async () => {
    const texts = ['Red \u001b[31m', 'a\u202Eb', '\ud800', 'two\nlines']
    for (const label of texts) {
      const value = {
        layouts: { edit: [] },
        metadatas: { title: form({ label, description: label }) },
      }
      const key = `plugin_content_manager_configuration_content_types::${UID}`
      await makeArchive(archive, { configuration: [{ type: 'core-store', value: { key, value } }] })
      const { notTaken } = await importThem({ dryRun: true })
      expect(notTaken, JSON.stringify(label)).to.include.members([
        `${UID}: title: the label contains invisible characters`,
        `${UID}: title: the description contains invisible characters`,
      ])
    }
  })

  it('writes no file that is a link', async () => {
    const elsewhere = path.join(folder, 'elsewhere.json')
    writeFileSync(elsewhere, JSON.stringify(TALK))
    rmSync(path.join(folder, FILE))
    symlinkSync(elsewhere, path.join(folder, FILE))
    await makeArchive(archive, { configuration: [configurationOf(UID)] })
    const error: unknown = await importThem().catch((reason: unknown) => reason)
    expect(error).to.have.property('message').that.includes('is a link')
    expect(readFileSync(elsewhere, 'utf8')).to.equal(JSON.stringify(TALK))
  })

  it('refuses to write on a broken disk, and changes nothing', async () => {
    await makeArchive(archive, { configuration: [configurationOf(UID)] })
    const files = openFaultyFiles(path.join(folder, 'src'))
    try {
      files.arm(1, 'EIO')
      const error: unknown = await importThem().catch((reason: unknown) => reason)
      expect(error).to.have.property('name', 'ApplicationError')
      expect(error).to.have.property('message').that.includes('cannot be written: EIO')
    } finally {
      files.disarm()
      files.restore()
    }
    expect(readAttributes()).to.deep.equal(TALK.attributes)
  })

  it('refuses an archive without layouts', async () => {
    await makeArchive(archive, { configuration: [{ type: 'core-store', value: {} }] })
    const error: unknown = await importThem().catch((reason: unknown) => reason)
    expect(error).to.have.property('message', `${archive} has no layouts of forms`)
  })

  it('is a command that needs no database', async () => {
    await makeArchive(archive, { configuration: [configurationOf(UID)] })
    const lines: string[] = []
    const output = {
      out: (text: string) => lines.push(text),
      error: (text: string) => lines.push(text),
    }
    const readConfig = () => ({ contentTypesDir: folder }) as Config
    const parts = { ...UNOPENED, installation: { ...UNOPENED.installation, readConfig } }
    expect(await runCli(['import', 'layouts', archive, '--dry-run'], parts, output)).to.equal(0)
    expect(lines.join('\n')).to.match(/^To be changed:\n {2}- api::talk\.talk\nNot taken:\n/)
  })
})
