"""Builds the project of the other tests of this folder."""
import common

common.build()
