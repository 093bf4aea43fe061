"""Nearly independent trios on adult, mushroom and twonorm, after Corrada-Emmanuel 2023."""
