import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { describeInBrowser } from './browser.ts'
import { editorBefore, fieldAt, PIECE, titleOf, untilPublished, untilSaved } from './editors.ts'
import type { Server } from './server.ts'

const MAX_CLICKS = 7

/** One red pixel. */
const PICTURE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==',
  'base64',
)

describeInBrowser('the shortest way through the Studio', function () {
  let server: Server
  let page: Page
  editorBefore((opened) => {
    server = opened.server
    page = opened.window.page
  })

  const published = async (title: string, locale: string) => {
    const query = `filters[title]=${encodeURIComponent(title)}&locale=${locale}&status=published&populate=cover`
    return (await server.ask('GET', `${PIECE}?${query}`)).data
  }

  it(`publishes an entry with an image in two languages within ${MAX_CLICKS} clicks`, async () => {
    let clicks = 0
    const click = async (
      name: string | RegExp,
      role: 'button' | 'link' = 'button',
    ): Promise<void> => {
      clicks += 1
      await page.getByRole(role, { name }).first().click()
    }
    await click('Pieces', 'link')
    await click(/^New piece/i)
    await titleOf(page).fill('With a picture')
    const chooser = page.waitForEvent('filechooser')
    clicks += 1
    await fieldAt(page, 'cover').getByRole('button', { name: 'Upload' }).click()
    await (await chooser).setFiles({ name: 'red.png', mimeType: 'image/png', buffer: PICTURE })
    await fieldAt(page, 'cover').getByText(/1 × 1/).waitFor()
    await click('Publish')
    await untilPublished(page)
    await click('Translate: German', 'link')
    await click('Start from English')
    await titleOf(page).fill('Mit einem Bild')
    await untilSaved(page)
    await click('Publish')
    await untilPublished(page)
    expect(clicks).to.be.at.most(MAX_CLICKS)
    const [english] = await published('With a picture', 'en')
    const [german] = await published('Mit einem Bild', 'de')
    expect(english.cover.name).to.equal('red.png')
    expect(german.cover.documentId).to.equal(english.cover.documentId)
    expect(german.documentId).to.equal(english.documentId)
  })

  it('accepts dropped, pasted and chosen images, in order', async () => {
    await page.goto(`${server.address}/studio/content/pieces/new`)
    await titleOf(page).fill('A gallery')
    const gallery = fieldAt(page, 'gallery')
    for (const [kind, name] of [
      ['drop', 'dropped.png'],
      ['paste', 'pasted.png'],
    ] as const) {
      await gallery.getByRole('group').evaluate(give, { kind, name, bytes: [...PICTURE] })
      await gallery.getByText(name).waitFor()
      await gallery
        .getByText(/1 × 1/)
        .nth(kind === 'drop' ? 0 : 1)
        .waitFor()
    }
    await gallery.getByRole('button', { name: 'Choose from media' }).click()
    await page.getByRole('dialog').getByRole('row', { name: 'red.png' }).click()
    await page.getByRole('button', { name: 'Add 1 file' }).click()
    await gallery.getByRole('button', { name: 'Move red.png, 3 of 3' }).focus()
    await page.keyboard.press('Home')
    await untilSaved(page)
    const query = 'filters[title]=A%20gallery&populate=gallery'
    const { data } = await server.ask('GET', `${PIECE}?${query}`)
    const names = data[0].gallery.map(({ name }: { name: string }) => name)
    expect(names).to.deep.equal(['red.png', 'dropped.png', 'pasted.png'])
  })

  it('inserts an image between blocks', async () => {
    await page.goto(`${server.address}/studio/content/pieces/new`)
    await titleOf(page).fill('A picture within')
    const story = fieldAt(page, 'story')
    await story.getByRole('textbox').click()
    await page.keyboard.type('before')
    await story.getByRole('button', { name: 'Image' }).click()
    await page.getByRole('dialog').getByRole('row', { name: 'red.png' }).click()
    await story.locator('img').waitFor()
    await untilSaved(page)
    const { data } = await server.ask('GET', `${PIECE}?filters[title]=A%20picture%20within`)
    expect(data[0].story.map(({ type }: { type: string }) => type)).to.include('image')
  })
})

/** Drops or pastes a picture as a browser does. */
function give(
  element: Element,
  { kind, name, bytes }: { kind: 'drop' | 'paste'; name: string; bytes: readonly number[] },
): void {
  const data = new DataTransfer()
  data.items.add(new File([new Uint8Array(bytes)], name, { type: 'image/png' }))
  const options = { bubbles: true, cancelable: true }
  element.dispatchEvent(
    kind === 'drop'
      ? new DragEvent('drop', { ...options, dataTransfer: data })
      : new ClipboardEvent('paste', { ...options, clipboardData: data }),
  )
}
