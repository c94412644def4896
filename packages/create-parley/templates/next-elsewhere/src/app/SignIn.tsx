/** Replace this by a link to the page on which people sign in; it sets the cookie `parley_session`. */
export const SignIn = () => <p>Sign in with a token in the cookie parley_session.</p>
