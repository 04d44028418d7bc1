import { expect } from 'chai'
import type { Page } from 'playwright-core'
import sharp from 'sharp'
import { expectAccessible, expectNoSidewaysScrolling } from './accessibility.ts'
import { describeInBrowser, openBrowser, type Window } from './browser.ts'
import { chooseGerman } from './editors.ts'
import { type Server, startServer } from './server.ts'
import { beFirst } from './signed-in.ts'

describeInBrowser('deleted files', () => {
  let server: Server
  let window: Window
  let page: Page
  before(async () => {
    server = await startServer()
    window = await openBrowser()
    page = window.page
    await beFirst(page, server)
    await openScreen('Media')
  })
  after(async () => {
    await window.close()
    await server.stop()
  })

  const openScreen = async (name: string): Promise<void> => {
    await page.getByRole('link', { name, exact: true }).click()
    await page.getByRole('heading', { level: 1, name }).waitFor()
  }
  const file = (name: string) => page.getByRole('row', { name })
  const upload = async (name: string): Promise<void> => {
    const buffer = await sharp({
      create: { width: 400, height: 300, channels: 3, background: '#3a3' },
    })
      .png()
      .toBuffer()
    const chooser = page.waitForEvent('filechooser')
    await page.getByRole('button', { name: 'Upload' }).click()
    await (await chooser).setFiles({ name, mimeType: 'image/png', buffer })
    await file(name).waitFor()
  }
  const remove = async (name: string): Promise<void> => {
    await file(name).hover()
    await file(name).locator('label').click()
    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'Delete 1 file?' })
    await dialog.getByText('You can restore it from the trash.').waitFor()
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await file(name).waitFor({ state: 'detached' })
  }
  const addressOf = async (name: string): Promise<string> => {
    const [found] = (await server.ask('GET', `/admin/files?search=${name}`)).data
    return `${server.address}${found.url}`
  }
  const statusOf = async (address: string): Promise<number> => (await fetch(address)).status

  it('come back with the undo of their deletion', async () => {
    await upload('map.png')
    const address = await addressOf('map.png')
    await remove('map.png')
    await page.getByText('1 file deleted').waitFor()
    expect(await statusOf(address)).to.equal(404)
    await page.getByRole('button', { name: /^Undo/ }).click()
    await page.getByText('1 file restored').waitFor()
    await file('map.png').waitFor()
    expect(await statusOf(address)).to.equal(200)
  })

  it('are listed in the trash, and restored and deleted again there', async () => {
    const address = await addressOf('map.png')
    await remove('map.png')
    await openScreen('Trash')
    const list = page.getByRole('list', { name: 'Deleted entries and files' })
    await list.getByText('File · PNG · 400 × 300').waitFor()
    await expectAccessible(page, 'trash with a file')
    await expectNoSidewaysScrolling(page, 'trash with a file')
    await page.getByRole('button', { name: 'Restore map.png' }).click()
    await page.getByText('The trash is empty').waitFor()
    expect(await statusOf(address)).to.equal(200)
    await page.keyboard.press('Control+z')
    await list.getByText('map.png').waitFor()
    expect(await statusOf(address)).to.equal(404)
  })

  it('are deleted permanently after a confirmation', async () => {
    await page.getByRole('button', { name: 'Delete permanently: map.png' }).click()
    const dialog = page.getByRole('dialog', { name: 'Delete permanently: map.png' })
    await dialog.getByText('The file is deleted from the server').waitFor()
    await dialog.getByRole('button', { name: 'Delete permanently' }).click()
    await page.getByText('The trash is empty').waitFor()
    expect((await server.ask('GET', '/admin/trash')).data).to.deep.equal([])
  })

  it('are described in German', async () => {
    await openScreen('Media')
    await upload('karte.png')
    await remove('karte.png')
    await chooseGerman(page, server)
    await page.goto(`${server.address}/studio/trash`)
    await page.getByText('Datei · PNG · 400 × 300').waitFor()
    await page.getByText('Gelöschte Einträge und Dateien bleiben 30 Tage erhalten').waitFor()
  })
})
