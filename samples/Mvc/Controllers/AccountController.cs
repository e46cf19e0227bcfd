using System.Security.Claims;
using Microsoft.AspNetCore.Authentication;
using Microsoft.AspNetCore.Authentication.Cookies;
using Microsoft.AspNetCore.Authorization;
using Microsoft.AspNetCore.Mvc;
using Microsoft.AspNetCore.RateLimiting;
using MvcSample.Hosting;
using MvcSample.Models;

namespace MvcSample.Controllers;

[Route("account")]
public sealed class AccountController(ILogger<AccountController> log) : Controller
{
    [Authorize]
    [HttpGet("")]
    [HttpHead("")]
    public async Task<IActionResult> Index() => View((await HttpContext.AuthenticateAsync()).Properties);

    [HttpGet("sign-in")]
    [HttpHead("sign-in")]
    public IActionResult SignIn(string? returnUrl) => View(new SignInInput { ReturnUrl = returnUrl });

    [HttpPost("sign-in")]
    [EnableRateLimiting(WriteLimits.SignIn)]
    public async Task<IActionResult> SignIn(SignInInput input)
    {
        if (ModelState.IsValid && !DemoUser.Matches(input))
        {
            ModelState.AddModelError("", "User name or password is wrong.");
            log.SignInFailed(HttpContext.Connection.RemoteIpAddress);
        }

        if (!ModelState.IsValid)
        {
            return View(input);
        }

        var identity = new ClaimsIdentity(
            [new Claim(ClaimTypes.Name, input.UserName)], CookieAuthenticationDefaults.AuthenticationScheme);
        await HttpContext.SignInAsync(new ClaimsPrincipal(identity));
        log.SignedIn(input.UserName, HttpContext.Connection.RemoteIpAddress);

        // An address of another site would make this page a tool for phishing.
        return Url.IsLocalUrl(input.ReturnUrl) ? LocalRedirect(input.ReturnUrl) : RedirectToAction(nameof(Index));
    }

    [HttpPost("sign-out")]
    public new async Task<IActionResult> SignOut()
    {
        await HttpContext.SignOutAsync();
        return RedirectToAction(nameof(HomeController.Index), "Home");
    }
}
