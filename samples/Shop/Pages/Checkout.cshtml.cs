using Microsoft.AspNetCore.Mvc;
using Microsoft.AspNetCore.Mvc.RazorPages;
using ShopSample.Baskets;
using ShopSample.Catalog;
using ShopSample.Hosting;
using ShopSample.Ordering;

namespace ShopSample.Pages;

public sealed class CheckoutModel(
    ItemStore items, BasketStore baskets, OrderStore orders, ILogger<CheckoutModel> log) : PageModel
{
    [BindProperty]
    public OrderForm Form { get; set; } = new();

    /// <summary>The order that this checkout becomes, however often its form is sent.</summary>
    [BindProperty]
    public string? Number { get; set; }

    public BasketSummary Summary { get; private set; } = new([]);

    public async Task<IActionResult> OnGetAsync(CancellationToken cancellationToken)
    {
        var basket = await OpenBasketAsync(cancellationToken);
        if (Summary.IsEmpty)
        {
            return RedirectToPage("/Basket");
        }

        Number = OrderNumber.Create().Value;
        if (basket.Draft is { } draft)
        {
            Form = draft;
            TryValidateModel(Form, nameof(Form));
            if (draft.Shown is { } shown && shown != Summary.Shown)
            {
                ModelState.AddModelError("", "Your order has changed since you saw it. Nothing was ordered.");
                foreach (var change in await Summary.ChangesSinceAsync(shown, items, cancellationToken))
                {
                    ModelState.AddModelError("", change);
                }
            }

            foreach (var line in Summary.Lines.Where(line => line.IsShort))
            {
                ModelState.AddModelError("", ShortageOf(line.Item));
            }
        }

        Form.Shown = Summary.Shown;
        return Page();
    }

    /// <summary>Every answer is a redirect, so that the browser's Back never asks to send the form again.</summary>
    public async Task<IActionResult> OnPostAsync(CancellationToken cancellationToken)
    {
        if (!OrderNumber.TryParse(Number, out var number))
        {
            return BadRequest();
        }

        // The basket is read before the order is looked for: a basket that the other half of a double click
        // has emptied then belongs to an order that is there.
        var basket = await OpenBasketAsync(cancellationToken);
        if (await orders.FindAsync(number, cancellationToken) is not null)
        {
            return RedirectToOrder(number);
        }

        if (Summary.IsEmpty)
        {
            return RedirectToPage("/Basket");
        }

        var isPlaced = false;
        var isAsShown = Form.Shown == Summary.Shown;
        if (ModelState.IsValid && isAsShown)
        {
            // From here on to the end: a browser that drops this request for a second click would leave the basket full.
            var placement = await orders.PlaceAsync(number, Form, Summary.Lines, CancellationToken.None);
            isPlaced = placement.Missing is null;
            if (isPlaced)
            {
                log.OrderPlaced(number.Value, Summary.Lines.Sum(line => line.Quantity), Money.Format(Summary.Total));
            }
            else
            {
                log.OrderShort(number.Value, placement.Missing);
            }
        }

        if (!isPlaced)
        {
            // The form waits in the basket. The page says what is wrong with it, what is left of the items, or what
            // is not as it was shown: another tab has changed the basket, or the shop a price.
            basket.Draft = Form.Cut();
            basket.Draft.Shown = ModelState.IsValid || !isAsShown ? basket.Draft.Shown ?? "" : null;
            await baskets.SaveAsync(HttpContext, basket, cancellationToken);
            return RedirectToPage();
        }

        await baskets.DeleteAsync(HttpContext, CancellationToken.None);
        return RedirectToOrder(number);
    }

    private RedirectToPageResult RedirectToOrder(OrderNumber number) =>
        RedirectToPage("/Order", new { number = number.Value });

    private async Task<Basket> OpenBasketAsync(CancellationToken cancellationToken)
    {
        var basket = await baskets.OpenAsync(HttpContext, cancellationToken);
        Summary = await BasketSummary.OfAsync(basket, items, cancellationToken);
        return basket;
    }

    private static string ShortageOf(ItemCard item) => item.Stock == 0
        ? $"{item.Name} is sold out. Nothing was ordered."
        : $"Only {item.Stock} of {item.Name} are left. Nothing was ordered.";
}
