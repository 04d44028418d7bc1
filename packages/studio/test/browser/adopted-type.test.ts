import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { type Document, Double, ObjectId, Timestamp } from 'mongodb'
import type { Locator, Page } from 'playwright-core'
import { expectAccessible } from './accessibility.ts'
import { describeInBrowser, openBrowser, type Window } from './browser.ts'
import { fieldAt, untilStored } from './editors.ts'
import { takePicture } from './pictures.ts'
import { type Server, startServer } from './server.ts'
import { beFirst } from './signed-in.ts'

const ORDER = {
  kind: 'collectionType',
  info: { singularName: 'order', pluralName: 'orders', displayName: 'Order' },
  adopt: {
    collection: 'orders',
    write: true,
    paths: { total: 'amounts.total', orderState: 'state' },
  },
  attributes: {
    number: { type: 'string', required: true },
    total: { type: 'float' },
    orderState: { type: 'enumeration', enum: ['open', 'paid'] },
  },
}

/** No attribute has these members. */
const KEPT = { internal: 'not for editors', since: new Timestamp(7n) }

const orderOf = (number: string): Document => ({
  _id: new ObjectId(),
  number,
  amounts: { total: new Double(12), tax: '2.10' },
  state: 'open',
  ...KEPT,
})

describeInBrowser('an adopted type with write in the Studio', () => {
  let folder: string
  let server: Server
  let window: Window
  let page: Page
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'quire-adopted-'))
    writeFileSync(join(folder, 'order.json'), JSON.stringify(ORDER))
    server = await startServer({ CONTENT_TYPES_DIR: folder })
    await server.withDatabase((db) =>
      db.collection('orders').insertMany(['A-1', 'A-2', 'A-3', 'A-4'].map(orderOf)),
    )
    window = await openBrowser()
    page = window.page
    await page.clock.install()
    await beFirst(page, server)
  })
  after(async () => {
    await window.close()
    await server.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  const stored = (number: string) => (): Promise<Document | null> =>
    server.withDatabase((db) =>
      db.collection('orders').findOne({ number }, { projection: { _id: 0 } }),
    )
  const change = (number: string, members: Document): Promise<unknown> =>
    server.withDatabase((db) => db.collection('orders').updateOne({ number }, { $set: members }))
  const rows = (): Locator =>
    page
      .getByRole('grid')
      .getByRole('row')
      .filter({ has: page.getByRole('gridcell') })
  const openList = async (): Promise<void> => {
    await page.goto(`${server.address}/studio/content/orders`)
    await page.getByRole('heading', { level: 1, name: 'Orders' }).waitFor()
    await rows().first().waitFor()
  }
  const open = async (number: string): Promise<void> => {
    await openList()
    await rows().getByText(number, { exact: true }).click()
    await untilShown('number', number)
  }
  const field = (name: string): Locator => fieldAt(page, name).getByRole('textbox')
  const untilShown = (name: string, value: string): Promise<void> =>
    untilStored(() => field(name).inputValue(), value)
  const save = (): Promise<void> => page.getByRole('button', { name: 'Save', exact: true }).click()

  it('lists the documents of the other service', async () => {
    await openList()
    await untilStored(() => rows().count(), 4)
    const first = await rows().filter({ hasText: 'A-1' }).innerText()
    expect(first).to.include('12')
    await takePicture(page, 'adopted-list')
    await expectAccessible(page, 'a list of an adopted type')
  })

  it('writes the attribute that a user changes, and no other member', async () => {
    await open('A-1')
    await field('total').fill('20.5')
    await save()
    await untilStored(stored('A-1'), {
      ...orderWithoutId('A-1'),
      amounts: { total: 20.5, tax: '2.10' },
    })
    await takePicture(page, 'adopted-entry')
    await expectAccessible(page, 'an entry of an adopted type')
  })

  it('shows a change of the other service, and asks about a conflict', async () => {
    await open('A-2')
    await change('A-2', { 'amounts.total': new Double(13) })
    await page.clock.fastForward(61_000)
    await untilShown('total', '13')
    await field('number').fill('A-2 mine')
    await change('A-2', { number: 'A-2 theirs' })
    await save()
    const choice = fieldAt(page, 'number').getByRole('group', {
      name: /changed this at the same time/,
    })
    await choice.getByText('A-2 theirs').waitFor()
    await takePicture(page, 'adopted-conflict')
    await choice.getByRole('button', { name: 'Keep yours' }).click()
    await choice.waitFor({ state: 'detached' })
    await save()
    await untilStored(stored('A-2 mine'), {
      ...orderWithoutId('A-2 mine'),
      amounts: { total: 13, tax: '2.10' },
    })
  })

  it('deletes a document for good, after a question', async () => {
    await open('A-3')
    await page.getByRole('button', { name: 'More' }).press('Enter')
    await page.getByRole('menuitem', { name: 'Delete' }).press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Delete this entry?' })
    await dialog.getByText('You cannot undo this.').waitFor()
    await takePicture(page, 'adopted-delete')
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('heading', { level: 1, name: 'Orders' }).waitFor()
    await untilStored(stored('A-3'), null)
    expect(await page.getByRole('button', { name: 'Undo' }).count()).to.equal(0)
    await untilStored(() => rows().count(), 3)
  })

  it('creates a document with an ObjectId and the declared members', async () => {
    await page.goto(`${server.address}/studio/content/orders/new`)
    await field('number').fill('A-5')
    await field('total').fill('3')
    await save()
    await untilStored(stored('A-5'), { number: 'A-5', amounts: { total: 3 } })
    const _id = await server.withDatabase(async (db) => {
      return (await db.collection('orders').findOne({ number: 'A-5' }))?._id
    })
    expect(_id).to.be.instanceOf(ObjectId)
    await page.waitForURL(new RegExp(`/orders/${String(_id)}`))
    await openList()
    await rows().filter({ hasText: 'A-5' }).waitFor()
  })
})

function orderWithoutId(number: string): Document {
  const { _id, ...members } = orderOf(number)
  return { ...members, amounts: { total: 12, tax: '2.10' } }
}
