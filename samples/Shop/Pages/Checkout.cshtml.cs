using Microsoft.AspNetCore.Mvc;
using Microsoft.AspNetCore.Mvc.RazorPages;
using ShopSample.Baskets;
using ShopSample.Catalog;
using ShopSample.Ordering;

namespace ShopSample.Pages;

public sealed class CheckoutModel(ItemStore items, OrderStore orders) : PageModel
{
    [BindProperty]
    public OrderForm Form { get; set; } = new();

    /// <summary>The order that this checkout becomes, however often its form is sent.</summary>
    [BindProperty]
    public string? Number { get; set; }

    public BasketSummary Summary { get; private set; } = new([]);

    public async Task<IActionResult> OnGetAsync(CancellationToken cancellationToken)
    {
        await OpenBasketAsync(cancellationToken);
        Number = OrderNumber.Create().Value;
        return Summary.IsEmpty ? RedirectToPage("/Basket") : Page();
    }

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

        if (!ModelState.IsValid)
        {
            return Page();
        }

        var quantities = Summary.Lines.ToDictionary(line => line.Item.Id, line => line.Quantity);
        var placement = await orders.PlaceAsync(number, Form, quantities, cancellationToken);
        if (placement.Missing is { } missing)
        {
            // Somebody was quicker: the page shows what is left now.
            await OpenBasketAsync(cancellationToken);
            ModelState.AddModelError("", ShortageOf(missing));
            return Page();
        }

        basket.Clear();
        return RedirectToOrder(number);
    }

    private RedirectToPageResult RedirectToOrder(OrderNumber number) =>
        RedirectToPage("/Order", new { number = number.Value });

    private async Task<Basket> OpenBasketAsync(CancellationToken cancellationToken)
    {
        var basket = await Basket.OpenAsync(HttpContext.Session, cancellationToken);
        Summary = await BasketSummary.OfAsync(basket, items, cancellationToken);
        return basket;
    }

    private string ShortageOf(int id) => Summary.Lines.FirstOrDefault(line => line.Item.Id == id) switch
    {
        null => "An item of your basket is no longer sold.",
        { Item: { Stock: 0 } item } => $"{item.Name} is sold out. Nothing was ordered.",
        { Item: var item } => $"Only {item.Stock} of {item.Name} are left. Nothing was ordered.",
    };
}
