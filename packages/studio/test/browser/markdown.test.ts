import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { expectAccessible, expectNoSidewaysScrolling } from './accessibility.ts'
import { describeInBrowser } from './browser.ts'
import { chooseGerman, editorBefore, fieldAt, openPiece, PIECE, untilStored } from './editors.ts'
import { holdUpload, pasteInto, PICTURE } from './paste.ts'
import { takePicture } from './pictures.ts'
import type { Server } from './server.ts'

const HOSTILE = [
  '<img src=x onerror="window.hostile = 1">',
  '<script>window.hostile = 1</script>',
  '[link](javascript:window.hostile=1)',
  '![picture](x" onerror="window.hostile=1)',
  '<svg/onload="window.hostile=1">',
]

describeInBrowser('Markdown', () => {
  let server: Server
  let page: Page
  editorBefore((opened) => {
    server = opened.server
    page = opened.window.page
  })

  const open = async (body: string): Promise<string> => {
    const { documentId } = (await server.ask('POST', PIECE, { data: { title: 'Text', body } })).data
    await openPiece(page, server, documentId)
    await editor().waitFor()
    return documentId
  }
  const field = () => fieldAt(page, 'body')
  const editor = () => field().locator('.cm-content')
  const tool = (name: string) => field().getByRole('button', { name, exact: true })
  const body = (documentId: string) => async () =>
    (await server.ask('GET', `${PIECE}/${documentId}`)).data.body
  const preview = () => field().locator('[data-preview]')

  it('formats by tools and by keys, one step of undo each', async () => {
    const documentId = await open('one')
    await editor().click()
    await page.keyboard.press('Control+a')
    await tool('Bold').click()
    await untilStored(body(documentId), '**one**')
    await page.keyboard.press('Control+i')
    await untilStored(body(documentId), '**_one_**')
    await page.keyboard.press('Control+Shift+8')
    await untilStored(body(documentId), '- **_one_**')
    await page.keyboard.press('Control+z')
    await untilStored(body(documentId), '**_one_**')
    await page.keyboard.press('Control+z')
    await page.keyboard.press('Control+z')
    await untilStored(body(documentId), 'one')
    await page.keyboard.press('Control+a')
    await page.keyboard.press('Control+k')
    await page.keyboard.type('https://example.org')
    await untilStored(body(documentId), '[one](https://example.org)')
    expect(await page.getByRole('dialog').count(), 'no palette').to.equal(0)
    await tool('Heading').click()
    await untilStored(body(documentId), '## [one](https://example.org)')
  })

  it('previews the text next to it, without running HTML', async () => {
    await open(['# Head', ...HOSTILE, '[here](https://example.org)'].join('\n\n'))
    await tool('Formatted').click()
    await preview().getByRole('heading', { name: 'Head' }).waitFor()
    await editor().click()
    await page.keyboard.press('Control+Home')
    await page.keyboard.press('End')
    await page.keyboard.type('ing')
    await preview().getByRole('heading', { name: 'Heading' }).waitFor()
    const left = await editor().boundingBox()
    const right = await preview().boundingBox()
    expect(right?.x).to.be.above((left?.x ?? 0) + 100)
    expect(await preview().locator('script, svg, [onerror], [onload]').count()).to.equal(0)
    expect(await preview().getByText('<script>').count()).to.equal(1)
    const links = preview().locator('a[href]')
    expect(
      await links.evaluateAll((all) => all.map((one) => one.getAttribute('href'))),
    ).to.deep.equal(['https://example.org'])
    expect(await page.evaluate(() => 'hostile' in window)).to.equal(false)
    await expectAccessible(page, 'Markdown with a preview')
    await takePicture(page, 'markdown-preview')
  })

  it('loads pictures of this server only, and shows others as links', async () => {
    const asked: string[] = []
    page.on('request', (request) => asked.push(request.url()))
    const other = 'https://pictures.example/cat.png'
    await open(
      [
        '![own](/uploads/none.png)',
        `![A cat](${other})`,
        '![](//pictures.example/dog.png)',
        `[![linked](${other})](https://example.org)`,
      ].join('\n\n'),
    )
    await tool('Formatted').click()
    await preview().getByRole('link', { name: 'Picture: A cat', exact: true }).waitFor()
    const link = preview().getByRole('link', { name: 'Picture: //pictures.example/dog.png' })
    expect(await link.getAttribute('href')).to.equal('//pictures.example/dog.png')
    const linked = preview().getByRole('link', { name: 'Picture: linked' })
    expect(await linked.getAttribute('href')).to.equal('https://example.org')
    const pictures = preview().locator('img')
    expect(
      await pictures.evaluateAll((all) => all.map((one) => one.getAttribute('src'))),
    ).to.deep.equal(['/uploads/none.png'])
    await expectAccessible(page, 'Markdown with pictures of other hosts')
    await takePicture(page, 'markdown-other-pictures')
    expect(asked.filter((one) => one.includes('pictures.example'))).to.deep.equal([])
    expect(asked.some((one) => one.endsWith('/uploads/none.png'))).to.equal(true)
  })

  it('previews the text instead of it on a phone', async () => {
    await open('Some *Markdown*')
    const size = page.viewportSize()
    await page.setViewportSize({ width: 390, height: 844 })
    try {
      await tool('Formatted').click()
      await preview().getByText('Markdown').waitFor()
      expect(await editor().isVisible()).to.equal(false)
      await expectNoSidewaysScrolling(page, 'Markdown on a phone')
      await preview().scrollIntoViewIfNeeded()
      await takePicture(page, 'markdown-phone')
      await tool('Formatted').click()
      await editor().waitFor()
    } finally {
      if (size !== null) await page.setViewportSize(size)
    }
  })

  it('uploads pasted and dropped pictures, and keeps the text that is typed meanwhile', async () => {
    const documentId = await open('start')
    await editor().click()
    await page.keyboard.press('Control+End')
    let release = (): void => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    await page.route('**/admin/files', async (route) => {
      await held
      await route.continue()
    })
    await pasteInto(editor(), { files: [PICTURE] })
    await field().getByRole('progressbar', { name: 'Uploading shore.png' }).waitFor()
    await page.keyboard.press('Control+Home')
    await page.keyboard.type('The ')
    await untilStored(body(documentId), 'The start')
    await expectAccessible(page, 'Markdown with an upload')
    release()
    await field().getByRole('progressbar').waitFor({ state: 'detached' })
    await page.unroute('**/admin/files')
    await untilStored(
      async () => /^The start!\[\]\(\/uploads\/\S+\.png\)$/.test(await body(documentId)()),
      true,
    )
    await page.keyboard.press('Control+z')
    await untilStored(body(documentId), 'The start')
    await pasteInto(editor(), { files: [PICTURE] }, 'drop')
    await untilStored(
      async () => /!\[\]\(\/uploads\/\S+\.png\)/.test(await body(documentId)()),
      true,
    )
  })

  it('keeps the order of pasted pictures when the last one arrives first', async () => {
    const documentId = await open('start')
    await editor().click()
    await page.keyboard.press('Control+End')
    const held = await holdUpload(page, 'first.png')
    const files = ['first.png', 'second.png', 'third.png'].map((name) => ({ ...PICTURE, name }))
    await pasteInto(editor(), { files })
    await held.others(2)
    await held.release()
    await untilStored(async () => /^start(?:!\[\]\(\S+\)){3}$/.test(await body(documentId)()), true)
    const urls = String(await body(documentId)()).match(/\/uploads\/[^_]+/g)
    expect(urls).to.deep.equal(['/uploads/first', '/uploads/second', '/uploads/third'])
  })

  it('says that an upload failed, and refuses other files', async () => {
    const documentId = await open('kept')
    await page.route('**/admin/files', (route) => route.abort())
    await pasteInto(editor(), { files: [PICTURE] })
    await field().getByRole('alert').waitFor()
    await field().getByRole('button', { name: 'Remove shore.png' }).click()
    await page.unroute('**/admin/files')
    await pasteInto(editor(), { files: [{ name: 'a.txt', type: 'text/plain', bytes: 'YQ==' }] })
    await page.getByText('This field does not accept files of this kind').waitFor()
    expect(await body(documentId)()).to.equal('kept')
  })

  it('has its tools in German', async () => {
    const documentId = await open('Text ![Katze](https://pictures.example/cat.png)')
    await chooseGerman(page, server)
    await page.goto(`${server.address}/studio/content/pieces/${documentId}`)
    await tool('Fett').waitFor()
    await tool('Formatiert').click()
    await field()
      .getByRole('region', { name: /^Vorschau von/ })
      .getByRole('link', { name: 'Bild: Katze', exact: true })
      .waitFor()
  })
})
