import Joi from 'joi'
import { RULES } from '../accounts/account-input.ts'
import { shortText } from '../access/input.ts'

/** Longer than for end users, because administrators can change all content. */
const MIN_PASSWORD = 8

const email = (): Joi.StringSchema => RULES.email
const newPassword = (): Joi.Schema =>
  RULES.password.min(MIN_PASSWORD).messages({ 'password.bytes': '{{#label}} is too long' })
const givenPassword = (): Joi.Schema => Joi.string().max(1_000)
const token = (): Joi.Schema => Joi.string().max(100)
const types = (): Joi.ArraySchema<string[]> =>
  Joi.array().items(Joi.string().max(64)).unique().max(50)

export interface AdministratorInput {
  readonly name: string
  readonly email: string
  readonly roles: readonly string[]
  readonly password?: string
}

export interface FirstInput {
  readonly token: string
  readonly name: string
  readonly email: string
  readonly password: string
}

export const NEW_ADMINISTRATOR = Joi.object<AdministratorInput>({
  name: shortText().required(),
  email: email().required(),
  roles: types().min(1).required(),
  password: newPassword(),
})

export interface AdministratorChange extends Partial<AdministratorInput> {
  readonly currentPassword?: string
}

export const ADMINISTRATOR_CHANGE = Joi.object<AdministratorChange>({
  name: shortText(),
  email: email(),
  roles: types(),
  password: newPassword(),
  currentPassword: givenPassword(),
})

export const FIRST_ADMINISTRATOR = Joi.object<FirstInput>({
  token: token().required(),
  name: shortText().required(),
  email: email().required(),
  password: newPassword().required(),
})

export const SIGN_IN = Joi.object<{ readonly email: string; readonly password: string }>({
  email: Joi.string().max(255).required(),
  password: givenPassword().required(),
})

export const FORGOT_PASSWORD = Joi.object<{ readonly email: string }>({
  email: Joi.string().max(255).required(),
})

export const SIGN_IN_BY_LINK = Joi.object<{ readonly token: string }>({ token: token().required() })

export const PASSWORD_BY_LINK = Joi.object<{ readonly token: string; readonly password: string }>({
  token: token().required(),
  password: newPassword().required(),
})

export const PASSWORD_CHANGE = Joi.object<{
  readonly currentPassword: string
  readonly password: string
}>({
  currentPassword: givenPassword().required(),
  password: newPassword().required(),
})

/** The appearance of the Studio. */
export type Theme = 'light' | 'dark'

export interface OwnChange {
  readonly name?: string
  readonly language?: string | null
  readonly theme?: Theme | null
}

export const OWN_CHANGE = Joi.object<OwnChange>({
  name: shortText(),
  language: Joi.string()
    .max(35)
    .pattern(/^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$/)
    .allow(null),
  theme: Joi.valid('light', 'dark', null),
})
