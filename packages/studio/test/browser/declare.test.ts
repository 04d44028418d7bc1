import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { expectAccessible, expectNoSidewaysScrolling } from './accessibility.ts'
import { describeInBrowser, openBrowser, type Window } from './browser.ts'
import { takePicture } from './pictures.ts'
import { type Server, startServer } from './server.ts'
import { beFirst } from './signed-in.ts'

/** A start takes some seconds. */
const RESTART_MS = 40_000

const NOTE = {
  kind: 'collectionType',
  collectionName: 'notes',
  info: { singularName: 'note', pluralName: 'notes', displayName: 'Note' },
  options: { draftAndPublish: true, comment: 'unknown here' },
  attributes: {
    title: { type: 'string', required: true },
    slug: { type: 'uid', targetField: 'title' },
    old: { type: 'integer', column: { unsigned: true } },
  },
}

describeInBrowser('the declaration of types in the Studio', () => {
  let folder: string
  let server: Server
  let window: Window
  let page: Page
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'quire-declared-'))
    mkdirSync(join(folder, 'queries'))
    writeFileSync(join(folder, 'note.json'), JSON.stringify(NOTE))
    const env = { CONTENT_TYPES_DIR: folder }
    server = await startServer(env, 'dist/scripts/dev/watch-server.js')
    window = await openBrowser()
    page = window.page
    await beFirst(page, server)
  })
  after(async () => {
    await window.close()
    await server.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  const open = async (): Promise<void> => {
    await page.goto(`${server.address}/studio/settings/types`)
    await page.getByRole('heading', { level: 2, name: 'Content types' }).waitFor()
  }
  const declared = (file: string): object =>
    JSON.parse(readFileSync(join(folder, file), 'utf8')) as object
  const press = (name: string | RegExp) => page.getByRole('button', { name, exact: true }).click()
  const choose = async (label: RegExp, option: string): Promise<void> => {
    await page.getByRole('dialog').getByRole('button', { name: label }).click()
    await page.getByRole('option', { name: option, exact: true }).click()
  }
  const write = async (): Promise<void> => {
    await press('Write the files')
    await page.getByText('The server has restarted').waitFor({ timeout: RESTART_MS })
    await page.getByRole('heading', { level: 2, name: 'Content types' }).waitFor()
  }
  /** Who writes a file by another way starts the server, too. */
  const started = async (): Promise<void> => {
    const isRunning = async (): Promise<boolean> => {
      const { data } = await server.ask('GET', '/admin/declarations')
      return data.running === data.revision
    }
    const end = Date.now() + RESTART_MS
    while (!(await isRunning().catch(() => false))) {
      if (Date.now() > end) throw new Error('the server has not come back')
      await new Promise((resolve) => setTimeout(resolve, 200))
    }
  }
  const add = async (name: string, type?: string): Promise<void> => {
    await press('Add an attribute')
    await page.getByRole('dialog').getByLabel('Name', { exact: true }).fill(name)
    if (type !== undefined) await choose(/Type$/, type)
  }

  it('creates a component', async () => {
    await open()
    await press('New component')
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Display name').fill('Quote')
    await expectAccessible(page, 'new component')
    await dialog.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('heading', { name: 'Edit Quote' }).waitFor()
    await add('text', 'Long text')
    await dialog.getByText('Required').click()
    await dialog.getByLabel('Maximum length').fill('300')
    await press('Done')
    await expectAccessible(page, 'a declaration')
    await write()
    expect(declared('components/shared/quote.json')).to.deep.equal({
      collectionName: 'components_shared_quotes',
      info: { displayName: 'Quote' },
      options: {},
      attributes: { text: { type: 'text', maxLength: 300, required: true } },
    })
  })

  it('creates a type with every kind of field, and shows its form', async () => {
    await press('New content type')
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Display name').fill('Recipe')
    await dialog.getByRole('button', { name: 'Continue' }).click()
    await page.getByText('Localized').click()
    await add('title')
    await dialog.getByText('One value per language').click()
    await press('Done')
    await add('slug', 'URL name (UID)')
    await choose(/Generated from/, 'title')
    await press('Done')
    await add('level', 'Enumeration')
    await dialog.getByLabel('Values, one per line').fill('easy\nhard\n')
    await choose(/Default value/, 'easy')
    await press('Done')
    await add('minutes', 'Whole number')
    await dialog.getByLabel('Minimum', { exact: true }).fill('x')
    await dialog.getByText('Not a number').waitFor()
    await press('Done')
    await dialog.getByLabel('Minimum', { exact: true }).fill('1')
    await press('Done')
    await add('notes', 'Relation')
    await choose(/Relation$/, 'Many to many')
    await choose(/Target$/, 'Note')
    await dialog.getByLabel('Attribute on the other side').fill('recipes')
    await expectAccessible(page, 'an attribute')
    await press('Done')
    await add('quotes', 'Component')
    await choose(/Component$/, 'Quote')
    await dialog.getByText('Repeatable', { exact: true }).click()
    await press('Done')
    await add('zone', 'Dynamic zone')
    await dialog.getByRole('group', { name: 'Components' }).getByText('Quote').click()
    await press('Done')
    expect(await page.getByText('Tables in rich text (blocks)').count()).to.equal(0)
    await add('story', 'Rich text (blocks)')
    await press('Done')
    await page.getByText('Tables in rich text (blocks)').click()
    await takePicture(page, 'declare-tables')
    await add('cover', 'Media')
    for (const kind of ['Videos', 'Audio', 'Other files']) await dialog.getByText(kind).click()
    await press('Done')
    await write()
    const localized = { i18n: { localized: true } }
    expect(declared('recipe.json')).to.deep.equal({
      kind: 'collectionType',
      collectionName: 'recipes',
      info: { singularName: 'recipe', pluralName: 'recipes', displayName: 'Recipe' },
      options: { draftAndPublish: true, blocks: 'extended' },
      pluginOptions: localized,
      attributes: {
        title: { type: 'string', pluginOptions: localized },
        slug: { type: 'uid', targetField: 'title' },
        level: { type: 'enumeration', enum: ['easy', 'hard'], default: 'easy' },
        minutes: { type: 'integer', min: 1 },
        notes: {
          type: 'relation',
          relation: 'manyToMany',
          target: 'api::note.note',
          inversedBy: 'recipes',
        },
        quotes: { type: 'component', component: 'shared.quote', repeatable: true },
        zone: { type: 'dynamiczone', components: ['shared.quote'] },
        story: { type: 'blocks' },
        cover: { type: 'media', allowedTypes: ['images'] },
      },
    })
    expect(declared('note.json')).to.have.nested.property('attributes.recipes.mappedBy', 'notes')
    await page.getByRole('link', { name: 'Recipes' }).click()
    await page
      .getByRole('button', { name: /^New recipe/i })
      .first()
      .click()
    await page.getByRole('textbox', { name: 'Title', exact: true }).fill('Bread')
    await page.getByText('Saved now').waitFor()
  })

  it('follows renames, asks before removals and preserves unknown keys', async () => {
    await open()
    await press('Edit Note')
    await press('Edit title')
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name', { exact: true }).fill('slug')
    await dialog.getByText('An attribute with this name exists').waitFor()
    await dialog.getByLabel('Name', { exact: true }).fill('heading')
    await dialog.getByText(/keeps its values: the file names title as its older name/).waitFor()
    await press('Done')
    await press('Remove recipes')
    await dialog.getByText(/stay in the database/).waitFor()
    await press('Remove')
    // By the keyboard: the handle moves the attribute.
    await page.getByRole('button', { name: /^Move old/ }).focus()
    await page.keyboard.press('Home')
    await write()
    const { attributes, ...rest } = declared('note.json') as { attributes: object }
    expect(rest).to.deep.include({ options: NOTE.options })
    expect(Object.entries(attributes)).to.deep.equal([
      ['old', NOTE.attributes.old],
      ['heading', { ...NOTE.attributes.title, from: 'title' }],
      ['slug', { type: 'uid', targetField: 'heading' }],
    ])
    expect(declared('recipe.json')).not.to.have.nested.property('attributes.notes.inversedBy')
  })

  it('shows the faults of a server start at the attribute', async () => {
    await press('Edit Note')
    await press('Edit heading')
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Minimum length').fill('9')
    await dialog.getByLabel('Maximum length').fill('3')
    await press('Done')
    const before = readFileSync(join(folder, 'note.json'), 'utf8')
    await press('Write the files')
    const row = page.getByRole('listitem').filter({ hasText: 'heading' }).first()
    await row
      .getByRole('alert')
      .getByText('minLength: This must not be above maxLength (3)')
      .waitFor()
    expect(readFileSync(join(folder, 'note.json'), 'utf8')).to.equal(before)
    await press('All types')
    await press('Leave')
    await page.getByRole('heading', { level: 2, name: 'Content types' }).waitFor()
  })

  it('renames values of an enumeration after a look at the plan', async () => {
    const RECIPE = '/admin/content/api::recipe.recipe'
    const made = await server.ask('POST', RECIPE, { data: { title: 'Soup', level: 'easy' } })
    const { documentId } = made.data
    await open()
    await press('Edit Recipe')
    await press('Edit level')
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Values, one per line').fill('simple\nhard')
    await dialog.getByText('Entries with easy get simple at the next start.').waitFor()
    await expectAccessible(page, 'a renamed value')
    await takePicture(page, 'declare-renamed-value')
    await dialog.getByRole('button', { name: /simple.*Default value/ }).waitFor()
    await choose(/The value easy$/, 'is removed')
    await choose(/Default value$/, 'None')
    await press('Done')
    await press('Write the files')
    await page
      .getByRole('alert')
      .getByText(/do not fit/)
      .waitFor()
    await press('Edit level')
    await choose(/The value easy$/, 'is now simple')
    await choose(/Default value$/, 'simple')
    await press('Done')
    await press('Write the files')
    await dialog.getByText('Recipe: level').waitFor()
    await dialog.getByText('easy becomes simple').waitFor()
    await dialog.getByText(/^\d of \d stored values are rewritten\.$/).waitFor()
    await expectAccessible(page, 'the plan of a declaration')
    await takePicture(page, 'declare-plan')
    expect(declared('recipe.json')).not.to.have.nested.property('attributes.level.from')
    await dialog.getByRole('button', { name: 'Write the files' }).click()
    await page.getByText('The server has restarted').waitFor({ timeout: RESTART_MS })
    await page.getByRole('heading', { level: 2, name: 'Content types' }).waitFor()
    expect(declared('recipe.json'))
      .to.have.nested.property('attributes.level')
      .deep.equal({
        type: 'enumeration',
        enum: ['simple', 'hard'],
        default: 'simple',
        from: { easy: 'simple' },
      })
    const { data } = await server.ask('GET', `${RECIPE}/${documentId}`)
    expect(data.level).to.equal('simple')
  })

  it('refuses to overwrite files that changed in the meantime', async () => {
    await press('Edit Note')
    await page.getByLabel('Display name').fill('Memo')
    await page.getByRole('button', { name: 'Edit slug' }).waitFor()
    const text = readFileSync(join(folder, 'note.json'), 'utf8')
    writeFileSync(join(folder, 'note.json'), text.replace('"Note"', '"Jotting"'))
    await press('Write the files')
    await page.getByText(/files have changed/).waitFor()
    expect(declared('note.json')).to.have.nested.property('info.displayName', 'Jotting')
    await started()
  })

  it('fits 360 pixels, and speaks German', async () => {
    await page.setViewportSize({ width: 360, height: 720 })
    await expectNoSidewaysScrolling(page, 'a declaration')
    await press('Edit slug')
    await expectNoSidewaysScrolling(page, 'an attribute')
    await page.keyboard.press('Escape')
    await page.setViewportSize({ width: 1280, height: 800 })
    await page.goto(`${server.address}/studio/settings/account`)
    await page.getByRole('button', { name: 'Language of the Studio' }).click()
    await page.getByRole('option', { name: 'Deutsch' }).click()
    await page.getByRole('heading', { level: 2, name: 'Konto' }).waitFor()
    await page.goto(`${server.address}/studio/settings/types`)
    await page.getByRole('button', { name: 'Neuer Inhaltstyp' }).waitFor()
    await press('Recipe bearbeiten')
    await press('minutes bearbeiten')
    await page.getByRole('dialog').getByText('Ganze Zahl').first().waitFor()
    await page.getByRole('dialog').getByLabel('Minimum').fill('9')
    await page.getByRole('dialog').getByLabel('Maximum').fill('3')
    await press('Fertig')
    await press('Dateien schreiben')
    const row = page.getByRole('listitem').filter({ hasText: 'minutes' }).first()
    await row.getByRole('alert').getByText('min: Das darf nicht über max (3) liegen').waitFor()
    const sentence = 'note.json: from: the collection of notes is unknown'
    const errors = [{ path: [], message: '', code: 'declare.stored', params: { name: sentence } }]
    const error = { message: sentence, details: { errors } }
    const plan = '**/admin/declarations/plan'
    await page.route(plan, (route) => route.fulfill({ status: 400, json: { data: null, error } }))
    await press('Dateien schreiben')
    const fault = page
      .getByRole('alert')
      .getByText('Mit diesen Typen kann der Server nicht starten')
    expect(await fault.locator('q[lang=en]').textContent()).to.equal(sentence)
    await page.unroute(plan)
    await press('Alle Typen')
    await press('Verlassen')
    await press('Recipe bearbeiten')
  })

  it('deletes types', async () => {
    await press('Recipe löschen')
    await page.getByRole('dialog').getByRole('button', { name: 'Löschen' }).click()
    await page.getByText('Der Server ist neu gestartet').waitFor({ timeout: RESTART_MS })
    await page.getByRole('link', { name: 'Recipes' }).waitFor({ state: 'detached' })
  })

  it('logs no browser errors except refusals and the restart', () => {
    const expected =
      /status of (?:400|404|412)|ERR_CONNECTION_REFUSED|ERR_EMPTY_RESPONSE|ERR_CONNECTION_RESET/
    expect(window.complaints.filter((text) => !expected.test(text))).to.deep.equal([])
  })
})
