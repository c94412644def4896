export const OPENAI_URL = "https://api.openai.com/v1"
