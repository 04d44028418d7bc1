import Joi from 'joi'

const code = (): Joi.StringSchema => Joi.string().max(64)

export const TOTP_WANTED = Joi.object<{ readonly currentPassword: string }>({
  currentPassword: Joi.string().max(1_000).required(),
})

export const TOTP_CONFIRMATION = Joi.object<{ readonly code: string }>({ code: code().required() })

export const SIGN_IN_BY_CODE = Joi.object<{ readonly pending: string; readonly code: string }>({
  pending: Joi.string().max(200).required(),
  code: code().required(),
})
