using Microsoft.AspNetCore.Mvc;
using Microsoft.AspNetCore.Mvc.RazorPages;
using ShopSample.Baskets;
using ShopSample.Catalog;

namespace ShopSample.Pages;

public sealed class BasketModel(ItemStore items, BasketStore baskets) : PageModel
{
    private const string MessageKey = "message";

    public BasketSummary Summary { get; private set; } = new([]);

    /// <summary>What the shop did with a quantity that it could not take; null when it took all.</summary>
    public string? Message { get; private set; }

    public async Task OnGetAsync(CancellationToken cancellationToken)
    {
        var basket = await baskets.OpenAsync(HttpContext, cancellationToken);
        Summary = await BasketSummary.OfAsync(basket, items, cancellationToken);
        Message = TempData[MessageKey] as string;
    }

    /// <summary>Adds pieces of an item, no more than there are, and tells when that is fewer.</summary>
    public async Task<IActionResult> OnPostAddAsync(string? slug, int quantity, CancellationToken cancellationToken)
    {
        if (!ModelState.IsValid || slug is null || quantity is < 1 or > Basket.MaxQuantity)
        {
            return BadRequest();
        }

        if (await items.FindAsync(slug, cancellationToken) is not { } item)
        {
            return NotFound();
        }

        var basket = await baskets.OpenAsync(HttpContext, cancellationToken);
        var wanted = basket.QuantityOf(item.Id) + quantity;
        basket.Set(item.Id, Math.Min(wanted, item.Stock));
        await baskets.SaveAsync(HttpContext, basket, cancellationToken);
        if (basket.QuantityOf(item.Id) is var taken && taken < wanted)
        {
            TempData[MessageKey] = item.Stock switch
            {
                0 => $"{item.Name} is sold out.",
                < Basket.MaxQuantity => $"There are only {item.Stock} of {item.Name}. All of them are in your basket.",
                _ => $"One order takes at most {Basket.MaxQuantity} of an item. "
                    + $"Your basket has {taken} of {item.Name}.",
            };
        }

        return RedirectToPage();
    }

    /// <summary>Sets quantities of items that are in the basket; 0 takes one out, and so does its button.</summary>
    public async Task<IActionResult> OnPostChangeAsync(
        Dictionary<int, int> quantities, int? remove, CancellationToken cancellationToken) =>
        await TryChangeAsync(quantities, remove, cancellationToken) ? RedirectToPage() : BadRequest();

    /// <summary>The same form, sent by the button of the checkout: what was typed into it counts.</summary>
    public async Task<IActionResult> OnPostCheckoutAsync(
        Dictionary<int, int> quantities, CancellationToken cancellationToken) =>
        await TryChangeAsync(quantities, null, cancellationToken) ? RedirectToPage("/Checkout") : BadRequest();

    private async Task<bool> TryChangeAsync(
        Dictionary<int, int> quantities, int? remove, CancellationToken cancellationToken)
    {
        var isValid = ModelState.IsValid
            && quantities.Values.All(quantity => quantity is >= 0 and <= Basket.MaxQuantity);
        if (!isValid && remove is null)
        {
            return false;
        }

        // The button that takes an item out does so whatever stands in the fields.
        var basket = await baskets.OpenAsync(HttpContext, cancellationToken);
        var lines = isValid ? quantities : [];
        foreach (var (id, quantity) in lines.Where(line => basket.QuantityOf(line.Key) > 0))
        {
            basket.Set(id, quantity);
        }

        if (remove is { } removed)
        {
            basket.Set(removed, 0);
        }

        await baskets.SaveAsync(HttpContext, basket, cancellationToken);
        return true;
    }
}
