import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect } from 'chai'
import {
  ApplicationError,
  PreconditionFailedError,
  ValidationError,
} from '../../../src/base/errors.ts'
import { compileSchema } from '../../../src/schema/compile.ts'
import { openDeclarations } from '../../../src/schema/editing/open-declarations.ts'
import { loadDefinitions } from '../../../src/schema/load.ts'

const ANY = (): boolean => true
const NOTE = { info: { singularName: 'note' }, attributes: { title: { type: 'string' } } }

describe('changes of declarations', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'quire-declarations-'))
    writeFileSync(join(folder, 'note.json'), JSON.stringify(NOTE))
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  const open = () => openDeclarations(folder, (definitions) => void compileSchema(definitions))
  const change = (changes: Readonly<Record<string, object | null>>) =>
    open().change(new Map(Object.entries(changes)), ANY)
  const faultsOf = async (changes: Readonly<Record<string, object | null>>): Promise<object> => {
    const before = readAll()
    try {
      await change(changes)
    } catch (error) {
      expect(error).to.be.instanceOf(ValidationError)
      expect(readAll(), 'nothing is written').to.deep.equal(before)
      const { details } = error as ValidationError
      const { errors } = details as { errors: readonly { path: string[]; message: string }[] }
      return errors.map(({ path, message }) => [path.join(' '), message.replaceAll(folder, '')])
    }
    throw new Error('it was taken')
  }
  const readAll = (): readonly string[] =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .sort()
      .map((name) =>
        name.endsWith('.json') ? `${name} ${readFileSync(join(folder, name), 'utf8')}` : name,
      )

  it('are written together and readable at startup', async () => {
    const link = { attributes: { label: { type: 'string' } } }
    const recipe = {
      info: { singularName: 'recipe' },
      attributes: { more: { type: 'component', component: 'shared.link', repeatable: true } },
    }
    const { files } = await change({ 'api::recipe.recipe': recipe, 'shared.link': link })
    expect(files.map(({ uid }) => uid)).to.have.members([
      'api::note.note',
      'api::recipe.recipe',
      'shared.link',
    ])
    expect(readFileSync(join(folder, 'recipe.json'), 'utf8')).to.match(/^\{\n {2}"info": \{\n/)
    expect(existsSync(join(folder, 'components/shared/link.json'))).to.equal(true)
    const loaded = await loadDefinitions(folder)
    expect(loaded.find(({ uid }) => uid === 'api::recipe.recipe')?.content).to.deep.equal(recipe)
    await change({ 'api::recipe.recipe': null, 'shared.link': null })
    expect(readdirSync(folder)).to.deep.equal(['components', 'note.json'])
  })

  it('do not rewrite files without differences', async () => {
    const before = readAll()
    await change({ 'api::note.note': NOTE })
    expect(readAll()).to.deep.equal(before)
  })

  it('use the folders of a Strapi project', async () => {
    rmSync(join(folder, 'note.json'))
    const api = join(folder, 'src/api')
    mkdirSync(api, { recursive: true })
    await change({ 'api::note.note': NOTE, 'shared.link': { attributes: {} } })
    expect(existsSync(join(api, 'note/content-types/note/schema.json'))).to.equal(true)
    expect(existsSync(join(folder, 'src/components/shared/link.json'))).to.equal(true)
  })

  it('are refused with the faults of a startup and their paths', async () => {
    const wrong = { ...NOTE, attributes: { title: { type: 'sting' } } }
    expect(await faultsOf({ 'api::note.note': wrong })).to.deep.equal([
      [
        'api::note.note attributes title type',
        '/note.json: attributes.title.type: no attribute type sting; did you mean string?',
      ],
    ])
    const more = { type: 'component', component: 'shared.link' }
    const [[path]] = (await faultsOf({
      'api::note.note': { ...NOTE, attributes: { more } },
    })) as [[string]]
    expect(path).to.equal('api::note.note attributes more component')
    expect(await faultsOf({ 'api::note.note': { info: { singularName: 'other' } } })).to.deep.equal(
      [
        [
          'api::note.note info singularName',
          'info.singularName must be note: it names what is stored',
        ],
      ],
    )
  })

  it('are refused for invalid names, so that no path leads out of the folder', async () => {
    const names = [
      'api::../x.../x',
      'api::..',
      'api::a/b.a/b',
      'api::a.b',
      'api::A.A',
      'api::con.con',
      'plugin::x.x',
      '../x.y',
      'a.../b',
      'a.b.c',
      'a\\b.c',
      'a',
      '',
      '__proto__',
      'queries.a\0',
      `${'a'.repeat(64)}.b`,
    ]
    for (const uid of names) {
      const changes = new Map([[uid, { attributes: {} }]])
      const error = await open()
        .change(changes, ANY)
        .then(
          () => null,
          (failure: unknown) => failure,
        )
      expect(error, uid).to.be.instanceOf(ValidationError)
    }
    expect(readdirSync(folder)).to.deep.equal(['note.json'])
    expect(readdirSync(dirname(folder)).filter((name) => name === 'x.json')).to.deep.equal([])
  })

  it('follow no link out of the folder', async () => {
    const outside = mkdtempSync(join(tmpdir(), 'quire-outside-'))
    try {
      symlinkSync(outside, join(folder, 'components'))
      const link = { 'shared.link': { attributes: {} } }
      const error = await change(link).then(
        () => null,
        (failure: unknown) => failure,
      )
      expect(error).to.be.instanceOf(ApplicationError)
      expect(String(error)).to.match(/is a link/)
      expect(readdirSync(outside)).to.deep.equal([])
    } finally {
      rmSync(outside, { recursive: true, force: true })
    }
  })

  it('require the current revision', async () => {
    const declarations = open()
    const { revision, running } = await declarations.read()
    expect(running).to.equal(revision)
    const first = { ...NOTE, attributes: { title: { type: 'text' } } }
    const changes = new Map([['api::note.note', first]])
    const only = (wanted: string) => (now: string) => now === wanted
    const changed = await declarations.change(changes, only(revision))
    expect(changed.revision).not.to.equal(revision)
    expect(changed.running).to.equal(revision)
    const again = declarations.change(new Map([['api::note.note', NOTE]]), only(revision))
    const error: unknown = await again.then(
      () => null,
      (failure: unknown) => failure,
    )
    expect(error).to.be.instanceOf(PreconditionFailedError)
  })

  it('run one at a time and accept only one per revision', async () => {
    const declarations = open()
    const { revision } = await declarations.read()
    const ends = await Promise.allSettled(
      ['a', 'b', 'c'].map((name) =>
        declarations.change(
          new Map([[`shared.${name}`, { attributes: {} }]]),
          (now) => now === revision,
        ),
      ),
    )
    expect(ends.map(({ status }) => status)).to.deep.equal(['fulfilled', 'rejected', 'rejected'])
  })
})
