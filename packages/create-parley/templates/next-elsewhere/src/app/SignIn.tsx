/** Replace this with a link to the page on which people sign in. That page sets the cookie `parley_session`. */
export const SignIn = () => <p>Sign in with a token in the cookie parley_session.</p>
