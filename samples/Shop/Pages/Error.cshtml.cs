using System.Globalization;
using Microsoft.AspNetCore.Diagnostics;
using Microsoft.AspNetCore.Mvc;
using Microsoft.AspNetCore.Mvc.Filters;
using Microsoft.AspNetCore.Mvc.RazorPages;
using ShopSample.Baskets;

namespace ShopSample.Pages;

/// <summary>Where failed requests run again, whatever their method was.</summary>
[IgnoreAntiforgeryToken]
[ResponseCache(NoStore = true, Location = ResponseCacheLocation.None)]
public sealed class ErrorModel : PageModel
{
    public int Status { get; private set; }

    public string Title => Status switch
    {
        StatusCodes.Status404NotFound => "This shelf is empty.",
        StatusCodes.Status429TooManyRequests => "That was too fast.",
        >= 500 => "Something broke on our side.",
        _ => "We did not understand that.",
    };

    public string Text => Status switch
    {
        StatusCodes.Status404NotFound => "There is no page here, or no longer.",
        StatusCodes.Status429TooManyRequests => "Wait a minute, then try again.",
        >= 500 => "It is not your fault. Please try again in a moment.",
        _ => "Go back, load the page again, and try once more.",
    };

    /// <summary>For every method, also those that no handler is written for.</summary>
    public override void OnPageHandlerExecuting(PageHandlerExecutingContext context)
    {
        // Who types this address in has met no error, and gets what any unknown address gets.
        var failed = HttpContext.Features.Get<IExceptionHandlerPathFeature>() is not null
            || HttpContext.Features.Get<IStatusCodeReExecuteFeature>() is not null;
        var isStatus = int.TryParse(RouteData.Values["status"] as string, CultureInfo.InvariantCulture, out var status);
        Status = failed && isStatus && status is >= 400 and <= 599 ? status : StatusCodes.Status404NotFound;
        Response.StatusCode = Status;
        if (Status >= 500)
        {
            // The database may be what has failed, and every page shows the basket.
            BasketStore.UseEmpty(HttpContext);
        }
    }
}
