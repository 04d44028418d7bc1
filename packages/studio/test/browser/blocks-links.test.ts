import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { expectAccessible, expectNoSidewaysScrolling } from './accessibility.ts'
import { describeInBrowser, type Window } from './browser.ts'
import {
  chooseGerman,
  fieldAt,
  openAs,
  openPiece,
  PERSON,
  PIECE,
  startWithEditors,
  TYPES,
  untilStored,
} from './editors.ts'
import { takePicture } from './pictures.ts'
import type { Answer, Server } from './server.ts'

const FRONT_PAGE = {
  kind: 'singleType',
  info: { singularName: 'front', pluralName: 'fronts', displayName: 'Front page' },
  options: { draftAndPublish: true },
  attributes: { claim: { type: 'text' } },
}

const paragraph = (...children: readonly object[]): object => ({ type: 'paragraph', children })
const text = (words: string): object => ({ type: 'text', text: words })

/** The links of a text, as `type/documentId words` or `url words`. */
const linksIn = (nodes: Answer): readonly string[] =>
  nodes.flatMap((node: Answer): readonly string[] => {
    if (node.type !== 'link') return node.children === undefined ? [] : linksIn(node.children)
    const { url, entry } = node
    const words = node.children.map((child: Answer) => child.text).join('')
    return [`${entry === undefined ? url : `${entry.type}/${entry.documentId}`} ${words}`]
  })

describeInBrowser('links to entries that the user may not see', () => {
  let server: Server
  let grace: Window
  before(async () => {
    server = await startWithEditors()
    const verbs = ['find', 'findOne', 'readDrafts', 'create', 'update']
    const permissions = verbs.map((verb) => ({ action: `api::piece.piece.${verb}` }))
    const role = { type: 'pieces', name: 'Pieces', permissions }
    await server.ask('POST', '/admin/administrator-roles', role)
    const people = (await server.ask('GET', '/admin/administrators')).data
    const { id } = people.find(({ name }: { readonly name: string }) => name === 'Grace')
    await server.ask('PUT', `/admin/administrators/${id}`, { roles: ['pieces'] })
    grace = await openAs(server, 'Grace')
  })
  after(async () => {
    await grace.close()
    await server.stop()
  })

  it('stay apart when they are adjacent, and keep their targets', async () => {
    const { page } = grace
    const { data } = await server.ask('GET', `${PERSON}?sort=name`)
    const [first, second] = data.map(({ documentId }: Answer) => documentId)
    const linkTo = (documentId: string, words: string): object => ({
      type: 'link',
      url: '',
      entry: { type: 'api::person.person', documentId },
      children: [text(words)],
    })
    const story = [paragraph(linkTo(first, 'One'), linkTo(second, 'Two'))]
    const made = await server.ask('POST', PIECE, { data: { title: 'Hidden', story } })
    const { documentId } = made.data
    await openPiece(page, server, documentId)
    await fieldAt(page, 'story').locator('.ProseMirror').click()
    await page.keyboard.press('Control+End')
    await page.keyboard.type(' more')
    const stored = async (): Promise<unknown> => {
      const { story: now } = (await server.ask('GET', `${PIECE}/${documentId}`)).data
      return [linksIn(now), JSON.stringify(now).includes(' more')]
    }
    const links = [`api::person.person/${first} One`, `api::person.person/${second} Two`]
    await untilStored(stored, [links, true])
  })
})

describeInBrowser('links to entries in blocks', () => {
  let server: Server
  let window: Window
  let page: Page
  let emily: string
  let types: string
  before(async () => {
    types = mkdtempSync(path.join(tmpdir(), 'quire-links-'))
    cpSync(TYPES, types, { recursive: true })
    writeFileSync(path.join(types, 'front.json'), JSON.stringify(FRONT_PAGE))
    server = await startWithEditors({ CONTENT_TYPES_DIR: types })
    window = await openAs(server, 'Ada')
    page = window.page
    const { data } = await server.ask('GET', `${PERSON}?filters[name]=Emily`)
    emily = data[0].documentId
  })
  after(async () => {
    await window.close()
    await server.stop()
    rmSync(types, { recursive: true, force: true })
  })

  const field = () => fieldAt(page, 'story')
  const editor = () => field().locator('.ProseMirror')
  const kind = (name: string) => field().getByRole('radio', { name, exact: true })
  const box = (name = 'Find an entry') => field().getByRole('searchbox', { name })
  const open = async (...story: readonly object[]): Promise<string> => {
    const made = await server.ask('POST', PIECE, { data: { title: 'Links', story } })
    await openPiece(page, server, made.data.documentId)
    await editor().waitFor()
    return made.data.documentId
  }
  const links = (documentId: string) => async (): Promise<unknown> =>
    linksIn((await server.ask('GET', `${PIECE}/${documentId}`)).data.story)
  const toolbar = (name = 'Formatting of the selection') => field().getByRole('toolbar', { name })
  const select = async (tools?: string): Promise<void> => {
    await editor().click()
    await page.keyboard.press('Control+a')
    await toolbar(tools).waitFor()
  }
  /** The toolbar goes when the editor knows that nothing is selected. */
  const goTo = async (key: 'End' | 'Control+End'): Promise<void> => {
    await toolbar().waitFor()
    await page.keyboard.press(key)
    await toolbar().waitFor({ state: 'hidden' })
  }

  it('links selected text to an entry that is found by its title', async () => {
    const documentId = await open(paragraph(text('Hope')))
    await select()
    await page.keyboard.press('Control+k')
    await field().getByRole('textbox', { name: 'Link address' }).waitFor()
    await kind('Entry').click()
    await box().and(page.locator(':focus')).waitFor()
    await page.keyboard.type('emi')
    await page.getByRole('option', { name: 'Emily Persons' }).waitFor()
    await expectAccessible(page, 'the search of a linked entry')
    await takePicture(page, 'blocks-link-search')
    await page.keyboard.press('Enter')
    await box().waitFor({ state: 'detached' })
    await untilStored(links(documentId), [`api::person.person/${emily} Hope`])
    await editor().and(page.locator(':focus')).waitFor()
    await goTo('End')
    await page.keyboard.type(' more')
    await untilStored(
      async () => (await server.ask('GET', `${PIECE}/${documentId}`)).data.story[0].children.length,
      2,
    )
    expect(await links(documentId)()).to.deep.equal([`api::person.person/${emily} Hope`])
  })

  it('links selected text to the entry of a single type, by the name of the type', async () => {
    const frontPage = await server.ask('POST', '/admin/content/api::front.front', { data: {} })
    const documentId = await open(paragraph(text('Home')))
    await select()
    await page.keyboard.press('Control+k')
    await kind('Entry').click()
    await box().and(page.locator(':focus')).waitFor()
    await page.keyboard.type('front')
    await page.getByRole('option', { name: 'Front page' }).waitFor()
    await expectAccessible(page, 'the search with a single type')
    await takePicture(page, 'blocks-link-single')
    await page.keyboard.press('Enter')
    await box().waitFor({ state: 'detached' })
    const link = `api::front.front/${frontPage.data.documentId} Home`
    await untilStored(links(documentId), [link])
    await openPiece(page, server, documentId)
    await select()
    await page.keyboard.press('Control+k')
    await field().getByText('Front page', { exact: true }).waitFor()
    await page.keyboard.press('Escape')
  })

  it('shows the entry of a link, and replaces it by an address', async () => {
    const entry = { type: 'api::person.person', documentId: emily }
    const documentId = await open(
      paragraph({ type: 'link', url: '', entry, children: [text('Hope')] }),
    )
    await select()
    await page.keyboard.press('Control+k')
    await box().and(page.locator(':focus')).waitFor()
    await field().getByText('Emily', { exact: true }).waitFor()
    await expectAccessible(page, 'the form of a link to an entry')
    await takePicture(page, 'blocks-link-entry')
    await page.keyboard.press('Escape')
    await box().waitFor({ state: 'detached' })
    // In this window the editor might miss that the selection ended and began again.
    await openPiece(page, server, documentId)
    await editor().waitFor()
    await select()
    await page.keyboard.press('Control+k')
    await kind('Address').click()
    await field().getByRole('textbox', { name: 'Link address' }).fill('https://example.org')
    await page.keyboard.press('Enter')
    await untilStored(links(documentId), ['https://example.org Hope'])
  })

  it('keeps the entry of a link that is copied and pasted', async () => {
    const entry = { type: 'api::person.person', documentId: emily }
    const documentId = await open(
      paragraph({ type: 'link', url: '', entry, children: [text('Hope')] }, text('.')),
    )
    await select()
    await page.keyboard.press('Control+c')
    await goTo('Control+End')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Control+v')
    const link = `api::person.person/${emily} Hope`
    await untilStored(links(documentId), [link, link])
  })

  it('removes a link to an entry, in German and on a narrow screen', async () => {
    const entry = { type: 'api::person.person', documentId: emily }
    const made = [paragraph({ type: 'link', url: '', entry, children: [text('Hope')] })]
    await chooseGerman(page, server)
    await page.setViewportSize({ width: 360, height: 760 })
    const documentId = (await server.ask('POST', PIECE, { data: { title: 'Links', story: made } }))
      .data.documentId
    await page.goto(`${server.address}/studio/content/pieces/${documentId}`)
    await select('Formatierung der Auswahl')
    await page.keyboard.press('Control+k')
    await box('Eintrag suchen').waitFor()
    await field().getByText('Emily', { exact: true }).waitFor()
    await expectNoSidewaysScrolling(page, 'the form of a link')
    await takePicture(page, 'blocks-link-german')
    await field().getByRole('button', { name: 'Link entfernen' }).click()
    await untilStored(links(documentId), [])
  })

  it('logs no browser errors', () => {
    expect(window.complaints).to.deep.equal([])
  })
})
