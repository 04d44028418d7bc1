import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { expectAccessible, expectNoSidewaysScrolling } from './accessibility.ts'
import { describeInBrowser, type Window } from './browser.ts'
import {
  chooseGerman,
  editorBefore,
  fieldAt,
  openPiece,
  PERSON,
  PIECE,
  untilStored,
} from './editors.ts'
import { takePicture } from './pictures.ts'
import type { Answer, Server } from './server.ts'

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

describeInBrowser('links to entries in blocks', () => {
  let server: Server
  let window: Window
  let page: Page
  let emily: string
  editorBefore(async (opened) => {
    ;({ server, window } = opened)
    page = window.page
    const { data } = await server.ask('GET', `${PERSON}?filters[name]=Emily`)
    emily = data[0].documentId
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
