import { expect } from 'chai'
import type { Locator, Page } from 'playwright-core'
import sharp from 'sharp'
import { expectAccessible, expectNoSidewaysScrolling } from './accessibility.ts'
import { describeInBrowser, openBrowser, type Window } from './browser.ts'
import { chooseGerman } from './editors.ts'
import { takePicture } from './pictures.ts'
import { type Server, startServer } from './server.ts'
import { beFirst } from './signed-in.ts'

describeInBrowser('the crop of a picture', () => {
  let server: Server
  let window: Window
  let page: Page

  before(async () => {
    server = await startServer()
    window = await openBrowser()
    page = window.page
    await beFirst(page, server)
    await page.getByRole('link', { name: 'Media' }).click()
    await page.getByRole('heading', { level: 1, name: 'Media' }).waitFor()
    const chooser = page.waitForEvent('filechooser')
    await page.getByRole('button', { name: 'Upload' }).click()
    const buffer = await picture()
    await (await chooser).setFiles([{ name: 'half.png', mimeType: 'image/png', buffer }])
    await file().waitFor()
  })
  after(async () => {
    await window.close()
    await server.stop()
  })

  /** Red, and green in the right half. */
  const picture = (): Promise<Buffer> =>
    sharp({ create: { width: 800, height: 600, channels: 3, background: '#c33' } })
      .composite([
        {
          input: { create: { width: 400, height: 600, channels: 3, background: '#3a3' } },
          left: 400,
          top: 0,
        },
      ])
      .png()
      .toBuffer()
  const file = (): Locator => page.getByRole('row', { name: 'half.png' })
  const drawer = (): Locator => page.getByRole('dialog', { name: 'half.png', exact: true })
  const dialog = (): Locator => page.getByRole('dialog', { name: 'Crop half.png' })
  const frame = (): Locator => dialog().getByRole('application')
  const side = (label: string): Locator => dialog().getByRole('textbox', { name: label })
  const numbers = async (): Promise<readonly number[]> => {
    const texts = ['From the left', 'From the top', 'Width', 'Height'].map((label) =>
      side(label).inputValue(),
    )
    return (await Promise.all(texts)).map(Number)
  }
  const open = async (): Promise<void> => {
    await drawer().getByRole('button', { name: 'Crop' }).click()
    await frame().waitFor()
    await dialog()
      .locator('img')
      .first()
      .evaluate((image: HTMLImageElement) => image.decode())
  }
  const save = async (): Promise<void> => {
    await dialog().getByRole('button', { name: 'Save crop' }).click()
    await dialog().waitFor({ state: 'detached' })
  }
  const stored = async (): Promise<{
    width: number
    height: number
    original?: { crop: object }
  }> => {
    const [found] = (await server.ask('GET', '/admin/files?search=half')).data
    return (await server.ask('GET', `/admin/files/${found.id}`)).data
  }

  it('is set by the keyboard, by numbers and by proportions', async () => {
    await file().click()
    await open()
    expect(await numbers()).to.deep.equal([0, 0, 800, 600])
    await expectAccessible(page, 'crop')
    await takePicture(page, 'crop')
    await frame().focus()
    for (let pressed = 0; pressed < 5; pressed += 1) await page.keyboard.press('Shift+ArrowLeft')
    await page.keyboard.press('Shift+ArrowUp')
    expect(await numbers()).to.deep.equal([0, 0, 760, 592])
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowDown')
    expect(await numbers()).to.deep.equal([8, 8, 760, 592])
    const name = /Frame: 760 × 592 pixels, 8 from the left, 8 from the top/
    await dialog().getByRole('application', { name }).waitFor()
    await dialog().getByRole('button', { name: 'Proportions' }).click()
    await page.getByRole('option', { name: '1:1' }).click()
    expect(await numbers()).to.deep.equal([92, 8, 592, 592])
    await side('Width').fill('300')
    await page.keyboard.press('Enter')
    expect(await numbers()).to.deep.equal([92, 8, 300, 300])
    await side('From the left').fill('9999')
    await page.keyboard.press('Tab')
    expect(await numbers()).to.deep.equal([500, 8, 300, 300])
    await side('Height').fill('three')
    await page.keyboard.press('Tab')
    expect(await numbers()).to.deep.equal([500, 8, 300, 300])
    await takePicture(page, 'crop-square')
    await save()
    await page.getByText('Cropped everywhere it is used').waitFor()
    await drawer().getByText('300 × 300').waitFor()
    expect(await stored()).to.deep.include({ width: 300, height: 300 })
    await drawer()
      .locator('img')
      .first()
      .evaluate((image: HTMLImageElement) => image.decode())
    const shown = await drawer()
      .locator('img')
      .first()
      .evaluate((image: HTMLImageElement) => [image.naturalWidth, image.naturalHeight])
    expect(shown).to.deep.equal([300, 300])
  })

  it('begins with the crop of now, is dragged by a mouse, and is undone', async () => {
    await open()
    expect(await numbers()).to.deep.equal([500, 8, 300, 300])
    const box = await frame().boundingBox()
    if (box === null) throw new Error('no frame')
    const perPixel = box.width / 300
    const middle = { x: box.x + box.width / 2, y: box.y + box.height / 2 }
    await page.mouse.move(middle.x, middle.y)
    await page.mouse.down()
    await page.mouse.move(middle.x - 200 * perPixel, middle.y + 100 * perPixel, { steps: 4 })
    await page.mouse.up()
    const [x = 0, y = 0, ...sides] = await numbers()
    expect(sides).to.deep.equal([300, 300])
    expect(Math.abs(x - 300)).to.be.at.most(2)
    expect(Math.abs(y - 108)).to.be.at.most(2)
    const moved = await frame().boundingBox()
    if (moved === null) throw new Error('no frame')
    await page.mouse.move(moved.x, moved.y)
    await page.mouse.down()
    await page.mouse.move(moved.x - 100 * perPixel, moved.y - 50 * perPixel, { steps: 4 })
    await page.mouse.up()
    const [left = 0, top = 0, width = 0, height = 0] = await numbers()
    expect(Math.abs(width - 400)).to.be.at.most(2)
    expect(Math.abs(height - 350)).to.be.at.most(2)
    expect([left + width, top + height]).to.deep.equal([x + 300, y + 300])
    await save()
    expect(await stored()).to.include({ width, height })
    await page.getByRole('button', { name: 'Undo' }).first().click()
    await drawer().getByText('300 × 300').waitFor()
    expect((await stored()).original?.crop).to.deep.equal({ x: 500, y: 8, width: 300, height: 300 })
  })

  it('tells of a change by another editor, and saves again', async () => {
    await open()
    const [found] = (await server.ask('GET', '/admin/files?search=half')).data
    await server.ask('PUT', `/admin/files/${found.id}`, { caption: 'By another editor' })
    await frame().focus()
    await page.keyboard.press('ArrowLeft')
    const again = page.waitForResponse(
      (got) => got.request().method() === 'GET' && got.url().endsWith(`/admin/files/${found.id}`),
    )
    await dialog().getByRole('button', { name: 'Save crop' }).click()
    await page.getByText('Someone else has changed this').waitFor()
    await (await again).finished()
    expect(await numbers()).to.deep.equal([492, 8, 300, 300])
    await save()
    expect((await stored()).original?.crop).to.include({ x: 492 })
  })

  it('is reset to the original', async () => {
    await open()
    await dialog().getByRole('button', { name: 'Reset to the original' }).click()
    expect(await numbers()).to.deep.equal([0, 0, 800, 600])
    await save()
    await drawer().getByText('800 × 600').waitFor()
    expect(await stored()).to.not.have.property('original')
    await drawer().getByRole('button', { name: 'Close' }).click()
  })

  it('works by touch on a phone, in German and in the dark', async () => {
    await chooseGerman(page, server)
    await page.emulateMedia({ colorScheme: 'dark' })
    await page.setViewportSize({ width: 320, height: 640 })
    await page.goto(`${server.address}/studio/media`)
    await file().click()
    await drawer().getByRole('button', { name: 'Zuschneiden' }).click()
    const german = page.getByRole('dialog', { name: 'half.png zuschneiden' })
    const area = german.getByRole('application', { name: /^Rahmen: 800 × 600 Pixel/ })
    await area.waitFor()
    await expectNoSidewaysScrolling(page, 'crop')
    await expectAccessible(page, 'crop in German')
    const box = await area.boundingBox()
    if (box === null) throw new Error('no frame')
    const client = await page.context().newCDPSession(page)
    const touch = async (type: 'touchStart' | 'touchMove' | 'touchEnd', x = 0, y = 0) =>
      client.send('Input.dispatchTouchEvent', {
        type,
        touchPoints: type === 'touchEnd' ? [] : [{ x, y }],
      })
    const corner = { x: box.x + box.width + 6, y: box.y + box.height + 6 }
    await touch('touchStart', corner.x, corner.y)
    for (const share of [0.25, 0.5, 0.75, 1]) {
      await touch('touchMove', corner.x - (share * box.width) / 2, corner.y)
    }
    await touch('touchEnd')
    await german.getByRole('application', { name: /^Rahmen: (?:39|40)\d × / }).waitFor()
    await takePicture(page, 'crop-phone-dark')
    await german.getByRole('button', { name: 'Zuschnitt speichern' }).click()
    await german.waitFor({ state: 'detached' })
    expect((await stored()).width).to.be.within(390, 409)
  })
})
