import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect } from 'chai'
import type { Locator, Page } from 'playwright-core'
import { expectAccessible, expectNoSidewaysScrolling } from './accessibility.ts'
import { describeInBrowser, type Window } from './browser.ts'
import { chooseGerman, fieldAt, openAs, startWithEditors, TYPES, untilSaved } from './editors.ts'
import type { Server } from './server.ts'

const CLIP = '/admin/content/api::clip.clip'

const ATTRIBUTES = {
  title: {
    type: 'string',
    studio: {
      label: { en: 'Headline', de: 'Überschrift' },
      placeholder: { en: 'A short headline', de: 'Eine kurze Überschrift' },
    },
  },
  slug: { type: 'uid', targetField: 'title', studio: { group: { en: 'Address', de: 'Adresse' } } },
  kind: {
    type: 'enumeration',
    enum: ['video', 'text'],
    studio: {
      label: { en: 'Kind of clip', de: 'Art des Clips' },
      width: 'half',
      values: { video: { en: 'Moving picture', de: 'Bewegtbild' }, text: 'Text' },
    },
  },
  minutes: {
    type: 'integer',
    min: 1,
    studio: {
      label: { en: 'Length in minutes', de: 'Länge in Minuten' },
      description: { en: 'Rounded up.', de: 'Aufgerundet.' },
      width: 'half',
      visibleWhen: { kind: 'video' },
    },
  },
  seoTitle: { type: 'string', studio: { group: { en: 'Address', de: 'Adresse' } } },
  parts: { type: 'component', component: 'parts.scene', repeatable: true },
}

const SCENE = {
  attributes: {
    isCut: { type: 'boolean', studio: { label: { en: 'Was cut', de: 'Geschnitten' } } },
    reason: {
      type: 'string',
      studio: { label: { en: 'Reason', de: 'Grund' }, visibleWhen: { isCut: true } },
    },
  },
}

describeInBrowser('the words about fields', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'quire-words-'))
  let server: Server
  let window: Window
  let page: Page
  before(async () => {
    cpSync(TYPES, folder, { recursive: true })
    const clip = {
      info: { singularName: 'clip', pluralName: 'clips', displayName: 'Clip' },
      options: { draftAndPublish: true },
      attributes: ATTRIBUTES,
    }
    writeFileSync(path.join(folder, 'clip.json'), JSON.stringify(clip))
    writeFileSync(path.join(folder, 'components/parts/scene.json'), JSON.stringify(SCENE))
    server = await startWithEditors({ CONTENT_TYPES_DIR: folder })
    window = await openAs(server, 'Ada')
    page = window.page
  })
  after(async () => {
    await window.close()
    await server.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  const make = async (data: object): Promise<string> =>
    (await server.ask('POST', CLIP, { data })).data.documentId
  const open = async (documentId: string): Promise<void> => {
    await page.goto(`${server.address}/studio/content/clips/${documentId}`)
    await fieldAt(page, 'title').waitFor()
  }
  const labelled = (name: string): Locator => page.getByLabel(name, { exact: true })

  it('label, describe and group the fields of a form', async () => {
    await open(await make({ kind: 'video', minutes: 3 }))
    expect(await labelled('Headline').getAttribute('placeholder')).to.equal('A short headline')
    const minutes = labelled('Length in minutes')
    expect(await minutes.inputValue()).to.equal('3')
    const describedBy = (await minutes.getAttribute('aria-describedby')) ?? ''
    const texts = describedBy.split(' ').map((id) => page.locator(`[id="${id}"]`).textContent())
    expect(await Promise.all(texts)).to.include('Rounded up.')
    const address = page.getByRole('group', { name: 'Address' })
    await address.getByRole('textbox', { name: 'Slug' }).waitFor()
    await address.getByRole('textbox', { name: 'SEO title' }).waitFor()
    await fieldAt(page, 'slug').getByText('from Headline').waitFor()
    expect(await labelled('Kind of clip').locator('option').allTextContents()).to.include.members([
      'Moving picture',
      'Text',
    ])
  })

  it('put two narrow fields next to each other, and below each other on a phone', async () => {
    await open(await make({ kind: 'video' }))
    const topOf = async (place: string) => (await fieldAt(page, place).boundingBox())?.y
    expect(await topOf('kind')).to.equal(await topOf('minutes'))
    await expectAccessible(page, 'words of fields')
    await page.setViewportSize({ width: 390, height: 800 })
    expect(await topOf('kind')).to.be.below((await topOf('minutes')) ?? 0)
    await expectNoSidewaysScrolling(page, 'words of fields')
    await page.setViewportSize({ width: 1280, height: 800 })
  })

  it('show a field when its condition is met, and keep its value', async () => {
    const documentId = await make({ kind: 'video', minutes: 3 })
    await open(documentId)
    await labelled('Kind of clip').selectOption('text')
    await labelled('Length in minutes').waitFor({ state: 'detached' })
    await untilSaved(page)
    const { data } = await server.ask('GET', `${CLIP}/${documentId}`)
    expect([data.kind, data.minutes]).to.deep.equal(['text', 3])
    await labelled('Kind of clip').selectOption('video')
    expect(await labelled('Length in minutes').inputValue()).to.equal('3')
  })

  it('show a hidden field that prevents the publication', async () => {
    await open(await make({ kind: 'text', minutes: 0 }))
    expect(await labelled('Length in minutes').count()).to.equal(0)
    await page.getByRole('button', { name: 'Publish', exact: true }).click()
    await fieldAt(page, 'minutes').locator('[data-problem]').waitFor()
  })

  it('read conditions in components from the same component', async () => {
    await open(await make({ parts: [{ isCut: true, reason: 'Dull' }, { isCut: false }] }))
    await page.getByLabel('Was cut').nth(1).waitFor()
    expect(await labelled('Reason').count()).to.equal(1)
  })

  it('name columns, values and filters of lists', async () => {
    await make({ title: 'A film', kind: 'video' })
    const filters = JSON.stringify([{ at: 'kind', is: 'is', to: 'video' }])
    await page.goto(`${server.address}/studio/content/clips?filters=${encodeURIComponent(filters)}`)
    await page.getByRole('columnheader', { name: 'Headline' }).waitFor()
    await page.getByRole('columnheader', { name: 'Kind of clip' }).waitFor()
    const row = page.getByRole('row', { name: 'A film' })
    await row.getByText('Moving picture').waitFor()
    await page.getByRole('button', { name: 'Kind of clip is Moving picture' }).waitFor()
  })

  it('name attributes and values in the history', async () => {
    const documentId = await make({ title: 'One', kind: 'video' })
    await server.ask('POST', `${CLIP}/${documentId}/actions/publish`)
    await server.ask('PUT', `${CLIP}/${documentId}`, { data: { kind: 'text' } })
    await open(documentId)
    await page.getByRole('button', { name: 'All versions' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('option').first().getByText('Edited Kind of clip').waitFor()
    await dialog.getByRole('option').last().click()
    const change = dialog.getByRole('listitem').filter({ hasText: 'Kind of clip' })
    await change.getByText('Moving picture').waitFor()
  })

  it('are German in the German Studio', async () => {
    const documentId = await make({ title: 'Eins', kind: 'video', minutes: 2 })
    await chooseGerman(page, server)
    await open(documentId)
    expect(await labelled('Überschrift').inputValue()).to.equal('Eins')
    await page.getByText('Aufgerundet.').waitFor()
    await page.getByRole('group', { name: 'Adresse' }).waitFor()
    expect(await labelled('Art des Clips').locator('option').allTextContents()).to.include(
      'Bewegtbild',
    )
    await page.goto(`${server.address}/studio/content/clips`)
    await page.getByRole('columnheader', { name: 'Art des Clips' }).waitFor()
    await page.getByRole('row', { name: 'Eins' }).getByText('Bewegtbild').waitFor()
  })
})
