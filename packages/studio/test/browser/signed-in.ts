import type { Page } from 'playwright-core'
import type { Server } from './server.ts'

export const ADA = {
  name: 'Ada Lovelace',
  email: 'ada@example.com',
  password: 'correct horse battery',
}

/** Makes the first administrator by the link of the start, as a person does. */
export async function beFirst(page: Page, server: Server): Promise<void> {
  await page.goto(await server.firstStartLink())
  await page.getByLabel('Your name').fill(ADA.name)
  await page.getByLabel('E-mail').fill(ADA.email)
  await page.getByLabel('Password').fill(ADA.password)
  await page.getByRole('button', { name: 'Get started' }).click()
  await page.getByRole('heading', { level: 1, name: ADA.name }).waitFor()
}

export async function signIn(page: Page, server: Server): Promise<void> {
  await page.goto(`${server.address}/studio/sign-in`)
  await page.getByLabel('E-mail').fill(ADA.email)
  await page.getByLabel('Password').fill(ADA.password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('heading', { level: 1, name: ADA.name }).waitFor()
}
